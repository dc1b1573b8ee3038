import type { ApiCall } from '../api/client.ts';
import { editing, type RowFormOptions, type RowVerb, useRowForm } from './row-form.tsx';
import { type OwnTag, tagChanges, tagPairs, text } from './values.ts';

/** What the form changes. */
export interface NameAndTags {
  readonly name: string;
  /** Those that were removed are null. */
  readonly tags: Record<string, string | null>;
}

interface EditFormOptions<Row> extends Pick<RowFormOptions<Row, NameAndTags>, 'disabled'> {
  readonly tagsOf: (row: Row) => readonly OwnTag[];
  readonly request: (row: Row, body: NameAndTags) => ApiCall;
}

/** The row action that renames and tags. */
export const useEditForm = <Row extends { readonly name: string }>({
  tagsOf,
  request,
  ...options
}: EditFormOptions<Row>): RowVerb<Row> =>
  useRowForm<Row, NameAndTags>({
    label: 'Rename, tag…',
    ...options,
    form: (row) => ({
      ...editing(row.name, [{ key: 'tags', label: 'Tags', kind: 'tags', initial: tagPairs(tagsOf(row)) }]),
      body: (values) => ({ name: text(values, 'name'), tags: tagChanges(tagsOf(row), values) }),
      request: (body) => request(row, body),
    }),
  });
