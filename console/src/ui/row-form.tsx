import { type ReactNode, useState } from 'react';
import type { RowAction } from './row-menu.tsx';
import { callOf, type FormOptions, SideForm } from './side-form.tsx';

/** A verb of a row: its entry in the menu, and what it opens. */
export interface RowVerb<Row> {
  readonly action: RowAction<Row>;
  readonly dialog: ReactNode;
}

export interface RowFormOptions<Row, Body> {
  /** Of the menu: `Rename…`. */
  readonly label: string;
  readonly disabled?: (row: Row) => string | undefined;
  readonly form: (row: Row) => FormOptions<Body>;
}

/** The row action that opens a form about the row. */
export function useRowForm<Row, Body>({ label, disabled, form }: RowFormOptions<Row, Body>): RowVerb<Row> {
  const [row, setRow] = useState<Row>();
  return {
    action: { label, run: setRow, call: (one) => callOf(form(one)), ...(disabled ? { disabled } : {}) },
    dialog: row !== undefined && <SideForm {...form(row)} opened close={() => setRow(undefined)} />,
  };
}
