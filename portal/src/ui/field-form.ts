import type { ApiCall } from '../api/client.ts';
import type { Field } from './field-input.tsx';
import { type RowFormOptions, type RowVerb, useRowForm } from './row-form.tsx';
import { texts } from './values.ts';

interface FieldFormOptions<Row, Key extends string>
  extends Omit<RowFormOptions<Row, Record<Key, string>>, 'form'> {
  readonly title: (row: Row) => string;
  /** Of the button, where it is not what the menu says. */
  readonly verb?: string;
  /** What the call names the one thing that is asked for. */
  readonly asks: Key;
  readonly field: (key: Key, row: Row) => Field;
  readonly request: (row: Row, body: Record<Key, string>) => ApiCall;
}

/** The row action that asks for one thing, and sends that. */
export const useFieldForm = <Row, Key extends string>(options: FieldFormOptions<Row, Key>): RowVerb<Row> => {
  const { title, verb, asks, field, request, ...rest } = options;
  return useRowForm<Row, Record<Key, string>>({
    ...rest,
    form: (row) => ({
      title: title(row),
      ...(verb ? { verb } : {}),
      fields: [field(asks, row)],
      body: (values) => texts(values, asks),
      request: (body) => request(row, body),
    }),
  });
};
