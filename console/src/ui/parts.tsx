import type { ReactNode } from 'react';
import { ActionButton } from '../../ui/action-button.tsx';
import { unreadNote } from '../../ui/fault.tsx';
import { Card, type EmptyProps } from '../../ui/page.tsx';
import { actionsOf, Dialogs, type RowVerb } from '../../ui/row-form.tsx';
import { type ListQuery, Rows } from '../../ui/rows.tsx';
import type { TableProps } from '../../ui/table.tsx';
import type { Storage } from './verbs.tsx';

interface PartsProps<Row> extends Pick<TableProps<Row>, 'title' | 'columns' | 'rowKey'> {
  readonly storage: Storage;
  readonly query: ListQuery<Row>;
  readonly create: RowVerb<Storage>;
  readonly verbs: readonly RowVerb<Row>[];
  readonly empty: EmptyProps;
  readonly children?: ReactNode;
}

/** What a storage has of one kind, and the verb that adds one more. */
export function Parts<Row>({ storage, query, create, verbs, children, ...table }: PartsProps<Row>) {
  const unread = unreadNote(query);
  if (unread) return unread;
  return (
    <Card title={table.title} aside={<ActionButton action={create.action} row={storage} />}>
      <Rows {...table} query={query} actions={actionsOf(verbs)} />
      {create.dialog}
      <Dialogs verbs={verbs} />
      {children}
    </Card>
  );
}
