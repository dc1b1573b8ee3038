import { useQuery } from '@tanstack/react-query';
import { operatorApi, useOperatorToken } from '../api/operator.ts';
import { wordOf } from './badge.tsx';
import { Copy } from './copy.tsx';
import { Card, Facts } from './page.tsx';

/** For operators: what the cloud of its region has for a resource. Nothing where it lives in no cloud. */
export function WhereItLives({ id }: { readonly id: string }) {
  const isOperator = useOperatorToken() !== undefined;
  const { data } = useQuery({
    ...operatorApi.queryOptions('get', '/virga/v1/engine_objects', {
      params: { query: { resource_id: id } },
    }),
    enabled: isOperator,
  });
  if (!isOperator || !data || data.count === 0) return null;
  return (
    <Card title="Where it lives">
      <Facts
        facts={data.results.map(({ region_name, kind, engine_id }) => ({
          label: `${wordOf(kind)} in the cloud of ${region_name}`,
          value: (
            <>
              {engine_id} <Copy value={engine_id} />
            </>
          ),
          wide: true,
        }))}
      />
    </Card>
  );
}
