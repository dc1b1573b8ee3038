import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { unreadNote } from './fault.tsx';
import { Card, Empty, type EmptyProps } from './page.tsx';
import { Table, type TableProps } from './table.tsx';

/** The answer to a question for several of something. */
export type ListQuery<Row> = Pick<
  UseQueryResult<{ readonly results: readonly Row[] }, unknown>,
  'data' | 'error' | 'isPending' | 'refetch'
>;

interface TableCardProps<Row> extends TableProps<Row> {
  readonly aside?: ReactNode;
  readonly empty: EmptyProps;
  /** Below the table, such as what its verbs open. */
  readonly children?: ReactNode;
}

/** Rows that are known as a table with a heading, or that there are none. */
export function TableCard<Row>({ aside, empty, children, ...table }: TableCardProps<Row>) {
  return (
    <Card title={table.title} aside={aside}>
      {table.rows.length === 0 ? <Empty {...empty} /> : <Table {...table} />}
      {children}
    </Card>
  );
}

interface RowsProps<Row> extends Omit<TableProps<Row>, 'rows' | 'loading'> {
  readonly query: ListQuery<Row>;
  /** What stands there when there are none. */
  readonly empty: EmptyProps;
}

/** What the API answered as a table, that there is none, or why it could not be read. */
export function Rows<Row>({ query, empty, ...table }: RowsProps<Row>) {
  const { data, isPending } = query;
  const rows = data?.results ?? [];
  const shown = data && rows.length === 0 ? <Empty {...empty} /> : undefined;
  return unreadNote(query) ?? shown ?? <Table {...table} rows={rows} loading={isPending} />;
}
