import type { UseQueryResult } from '@tanstack/react-query';
import { unreadNote } from './fault.tsx';
import { Empty, type EmptyProps } from './page.tsx';
import { Table, type TableProps } from './table.tsx';

/** The answer to a question for several of something. */
export type ListQuery<Row> = Pick<
  UseQueryResult<{ readonly results: readonly Row[] }, unknown>,
  'data' | 'error' | 'isPending' | 'refetch'
>;

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
