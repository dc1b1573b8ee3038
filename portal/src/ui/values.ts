import type { Values } from './field-input.tsx';

/** A value as text; empty ones are left out by `given`. */
export const text = (values: Values, key: string): string => String(values[key] ?? '').trim();

/** Values as texts, by their keys. */
export const texts = <Key extends string>(values: Values, ...keys: readonly Key[]): Record<Key, string> =>
  Object.fromEntries(keys.map((key) => [key, text(values, key)])) as Record<Key, string>;

/** A value as a number; undefined where nothing is given. */
export const number = (values: Values, key: string): number | undefined =>
  values[key] === '' || values[key] === undefined ? undefined : Number(values[key]);

/** Several values. */
export const list = (values: Values, key: string): readonly string[] =>
  Array.isArray(values[key]) ? (values[key] as readonly string[]) : [];

/** `key=value` each, as the API accepts tags; undefined where there are none. */
export function tagsOf(values: Values, key = 'tags'): Record<string, string> | undefined {
  const pairs = list(values, key).map((pair) => {
    const at = pair.indexOf('=');
    return at < 0 ? [pair.trim(), ''] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
  });
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}

/** A tag that people gave something, or that is kept by the cloud and stays. */
export interface OwnTag {
  readonly key: string;
  readonly value: string;
  readonly read_only: boolean;
}

/** The tags that a form may change, as its field has them. */
export const tagPairs = (tags: readonly OwnTag[]): readonly string[] =>
  tags.filter(({ read_only }) => !read_only).map(({ key, value }) => `${key}=${value}`);

/** What a form made of tags, as the API merges it: those that were removed are null. */
export function tagChanges(before: readonly OwnTag[], values: Values): Record<string, string | null> {
  const gone = before.filter(({ read_only }) => !read_only).map(({ key }) => [key, null]);
  return { ...Object.fromEntries(gone), ...tagsOf(values) };
}

/** A text of the address, where it is one of those that the API knows. */
export const oneOf = <Known extends string>(
  known: readonly Known[],
  value: string | undefined,
): Known | undefined => known.find((one) => one === value);

/** Leaves out what was not given, as the API expects it. */
export function given<T extends object>(body: T): { [K in keyof T]: Exclude<T[K], '' | undefined> } {
  return Object.fromEntries(
    Object.entries(body).filter(
      ([, value]) => value !== '' && value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  ) as { [K in keyof T]: Exclude<T[K], '' | undefined> };
}
