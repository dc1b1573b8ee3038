import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { idOf, type Named, nameOf } from '../api/named.ts';
import { operatorApi, useOperatorToken } from '../api/operator.ts';
import { wordOf } from './badge.tsx';
import { Copy } from './copy.tsx';
import { Entry } from './entry.tsx';
import { unreadNote } from './fault.tsx';
import { Card, Facts } from './page.tsx';
import type { RowVerb } from './row-form.tsx';

const useEngineObjects = (id: string, enabled: boolean) =>
  useQuery({
    ...operatorApi.queryOptions('get', '/virga/v1/engine_objects', {
      params: { query: { resource_id: id } },
    }),
    enabled,
  });

/** For operators: what the cloud of its region has for a resource. Nothing where it lives in no cloud. */
export function WhereItLives({ id }: { readonly id: string }) {
  const isOperator = useOperatorToken() !== undefined;
  const { data } = useEngineObjects(id, isOperator);
  if (!isOperator || !data || data.count === 0) return null;
  return (
    <Card title="Where it lives">
      <Places objects={data.results} />
    </Card>
  );
}

/** For operators: the same, in the menu of rows that have no page. */
export function useWhereItLives<Row extends Named>({
  disabled = () => undefined,
  called = nameOf,
}: {
  readonly disabled?: (row: Row) => string | undefined;
  readonly called?: (row: Row) => string;
} = {}): readonly RowVerb<Row>[] {
  const isOperator = useOperatorToken() !== undefined;
  const [row, setRow] = useState<Row>();
  if (!isOperator) return [];
  const dialog = row && (
    <Entry title={`Where ${called(row)} lives`} size="lg" close={() => setRow(undefined)}>
      <PlacesOf id={idOf(row)} />
    </Entry>
  );
  return [{ action: { label: 'Where it lives', run: setRow, disabled }, dialog }];
}

function PlacesOf({ id }: { readonly id: string }) {
  const query = useEngineObjects(id, true);
  if (!query.data) return unreadNote(query) ?? <Skeleton height={60} />;
  if (query.data.count === 0) return 'It lives in no cloud.';
  return <Places objects={query.data.results} />;
}

function Places({ objects }: { readonly objects: readonly Schemas['EngineObject'][] }) {
  return (
    <Facts
      facts={objects.map(({ region_name, kind, engine_id }) => ({
        label: `${wordOf(kind)} in the cloud of ${region_name}`,
        value: (
          <>
            {engine_id} <Copy value={engine_id} />
          </>
        ),
        wide: true,
      }))}
    />
  );
}
