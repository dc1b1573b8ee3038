import { Fragment, type ReactNode, useState } from 'react';
import { textField } from './fields.ts';
import type { RowAction } from './row-menu.tsx';
import { callOf, type Field, type FormOptions, SideForm } from './side-form.tsx';

/** A verb of a row: its entry in the menu, and what it opens. */
export interface RowVerb<Row> {
  readonly action: RowAction<Row>;
  readonly dialog: ReactNode;
}

export interface RowFormOptions<Row, Body> {
  /** Of the menu: `Resize…`; the button of the form says the same, unless the form has a verb of its own. */
  readonly label: string;
  readonly disabled?: (row: Row) => string | undefined;
  readonly form: (row: Row) => FormOptions<Body>;
}

/** The entries in the menu of several verbs. */
export const actionsOf = <Row,>(verbs: readonly RowVerb<Row>[]): readonly RowAction<Row>[] =>
  verbs.map(({ action }) => action);

/** What several verbs open. */
export function Dialogs({ verbs }: { readonly verbs: readonly RowVerb<never>[] }) {
  return verbs.map(({ action, dialog }) => <Fragment key={action.label}>{dialog}</Fragment>);
}

/** Of a form that changes what a row is called, and more. */
export const editing = (name: string, others: readonly Field[]) => ({
  title: `Edit ${name}`,
  verb: 'Save',
  fields: [textField('name', 'Name', { initial: name }), ...others],
});

/** The row action that opens a form about the row. */
export function useRowForm<Row, Body>({ label, disabled, form }: RowFormOptions<Row, Body>): RowVerb<Row> {
  const [row, setRow] = useState<Row>();
  return {
    action: { label, run: setRow, call: (one) => callOf(form(one)), ...(disabled ? { disabled } : {}) },
    dialog: row !== undefined && (
      <SideForm verb={label.replace('…', '')} {...form(row)} opened close={() => setRow(undefined)} />
    ),
  };
}
