import type { ReactNode } from 'react';
import { idOf, type Named } from '../api/named.ts';
import { ActionButton } from './action-button.tsx';
import { unreadNote } from './fault.tsx';
import { Card, type EmptyProps } from './page.tsx';
import { actionsOf, Dialogs, type RowVerb } from './row-form.tsx';
import type { RowAction } from './row-menu.tsx';
import { type ListQuery, Rows } from './rows.tsx';
import type { TableProps } from './table.tsx';

interface PartsProps<Whole, Part> extends Pick<TableProps<Part>, 'title' | 'columns' | 'href'> {
  readonly of: Whole;
  readonly query: ListQuery<Part>;
  /** The verb that adds one more. */
  readonly create: RowVerb<Whole>;
  /** Verbs that need no question. */
  readonly actions?: readonly RowAction<Part>[];
  /** Verbs that open a form or a dialog. */
  readonly verbs?: readonly RowVerb<Part>[];
  readonly empty: EmptyProps;
  readonly children?: ReactNode;
}

/** What something has of one kind. */
export function Parts<Whole, Part extends Named>(props: PartsProps<Whole, Part>) {
  const { of, create, actions = [], verbs = [], children, ...rows } = props;
  const unread = unreadNote(rows.query);
  if (unread) return unread;
  return (
    <Card title={rows.title} aside={<ActionButton action={create.action} row={of} />}>
      <Rows {...rows} rowKey={idOf} actions={[...actions, ...actionsOf(verbs)]} />
      {create.dialog}
      <Dialogs verbs={verbs} />
      {children}
    </Card>
  );
}
