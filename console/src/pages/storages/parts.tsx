import type { UseQueryResult } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import { faultOf } from '../../api/client.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { FaultNote } from '../../ui/fault.tsx';
import { Card, Empty, type EmptyProps } from '../../ui/page.tsx';
import type { RowVerb } from '../../ui/row-form.tsx';
import { Table, type TableProps } from '../../ui/table.tsx';
import type { Storage } from './verbs.tsx';

interface PartsProps<Row> extends Pick<TableProps<Row>, 'title' | 'columns' | 'rowKey'> {
  readonly storage: Storage;
  readonly query: Pick<
    UseQueryResult<{ readonly results: readonly Row[] }, unknown>,
    'data' | 'error' | 'isPending' | 'refetch'
  >;
  readonly create: RowVerb<Storage>;
  readonly verbs: readonly RowVerb<Row>[];
  readonly empty: EmptyProps;
  readonly children?: ReactNode;
}

/** What a storage has of one kind, and the verb that adds one more. */
export function Parts<Row>({ storage, query, create, verbs, empty, children, ...table }: PartsProps<Row>) {
  if (query.error && !query.data)
    return <FaultNote fault={faultOf(query.error)} retry={() => void query.refetch()} />;
  return (
    <Card title={table.title} aside={<ActionButton action={create.action} row={storage} />}>
      {query.data?.results.length === 0 ? (
        <Empty {...empty} />
      ) : (
        <Table
          {...table}
          rows={query.data?.results ?? []}
          loading={query.isPending}
          actions={verbs.map(({ action }) => action)}
        />
      )}
      {create.dialog}
      {verbs.map(({ action, dialog }) => (
        <Fragment key={action.label}>{dialog}</Fragment>
      ))}
      {children}
    </Card>
  );
}
