import { type Static, Type } from '@sinclair/typebox';
import { Invalid } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import { worded } from './patterns.ts';
import { Name } from './schemas.ts';

/** Tags: keys of 1 to 255 characters without white space and `=`, values of 1 to 255 without tabs and
 *  newlines. Surrounding white space is stripped first. */
export const TAG_KEY = {
  minLength: 1,
  maxLength: 255,
  pattern: worded('^[^\\s=]+$', 'must not contain white space or "="'),
} as const;
export const TAG_VALUE = {
  minLength: 1,
  maxLength: 255,
  pattern: worded(
    '^[^ \\t\\n\\r\\f\\v]([^\\t\\n\\r\\f\\v]*[^ \\t\\n\\r\\f\\v])?$',
    'must not be empty or contain tabs or line breaks',
  ),
} as const;

/** Of one resource. */
export const MAX_TAGS = 64;
const TOO_MANY = `must not be more than ${MAX_TAGS} in all`;

/** What a client sends; checked by `parseTags`, because values are stripped before they are judged. */
export const TagsInput = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: MAX_TAGS,
  additionalProperties: { type: 'string' },
});
/** JSON Merge Patch of tags: null removes a key. */
export const TagsPatch = Type.Unsafe<Record<string, string | null> | null>({
  type: ['object', 'null'],
  maxProperties: 2 * MAX_TAGS,
  additionalProperties: { type: ['string', 'null'] },
});

/** The tags of what is to be created; `metadata` is what older clients call them. */
export const NEW_TAGS = { tags: Type.Optional(TagsInput), metadata: Type.Optional(TagsInput) };
/** A change of the name or the tags. */
export const NameAndTags = ($id: string) =>
  Type.Object({ name: Type.Optional(Name()), tags: Type.Optional(TagsPatch) }, { $id });

export const Tag = Type.Object(
  { key: Type.String(), value: Type.String(), read_only: Type.Boolean() },
  { $id: 'Tag' },
);
export type Tag = Static<typeof Tag>;

/** The tags under the name that older clients give them; of some resources they read a list, of others an object. */
export const MetadataList = () => Type.Array(Tag, { description: 'The tags, for older clients.' });
export const MetadataObject = () =>
  Type.Record(Type.String(), Type.String(), {
    description: 'The tags as a plain object, for older clients.',
  });

/** How a resource keeps its tags: one JSON object, each value with its read-only mark. */
export type StoredTags = Record<string, { value: string; read_only: boolean }>;

const KEY = new RegExp(TAG_KEY.pattern);
const VALUE = new RegExp(TAG_VALUE.pattern);
const KEY_RULE = 'must be 1 to 255 characters without white space and "="';
const VALUE_RULE = 'must be 1 to 255 characters without tabs and newlines';

/** Characters, not the halves in which JavaScript stores some. */
const isShort = (text: string) => text.length <= 255 || [...text].length <= 255;

export const validTagKey = (key: string) => isShort(key) && KEY.test(key);
export const validTagValue = (value: string) => isShort(value) && VALUE.test(value);

/** Strips and checks tags.
 *  @throws Invalid naming every faulty key under `field` */
export function parseTags(
  input: Readonly<Record<string, string>>,
  field = 'tags',
  location: Invalid['location'] = 'body',
): Record<string, string> {
  const faults = new Faults();
  const tags: Record<string, string> = Object.create(null);
  for (const [rawKey, rawValue] of Object.entries(input)) {
    const key = rawKey.trim();
    const value = rawValue.trim();
    const name = `${field}.${rawKey}`;
    if (!validTagKey(key)) faults.add(name, `key ${KEY_RULE}`);
    if (!validTagValue(value)) faults.add(name, `value ${VALUE_RULE}`);
    tags[key] = value;
  }
  faults.refuse(location);
  return { ...tags };
}

export function newTags(input: Readonly<Record<string, string>>): StoredTags {
  const entries = Object.entries(input).map(([key, value]) => [key, { value, read_only: false }]);
  return Object.fromEntries(entries) as StoredTags;
}

/** The tags of a body that makes something; `metadata` is what older clients call them. What is wrong with them is
 *  added to the faults. */
export function givenTags(
  body: { readonly tags?: Record<string, string>; readonly metadata?: Record<string, string> },
  faults: Faults,
  prefix = '',
): StoredTags {
  const metadata = faults.try(() => parseTags(body.metadata ?? {}, `${prefix}metadata`));
  const tags = faults.try(() => parseTags(body.tags ?? {}, `${prefix}tags`));
  const all = newTags({ ...metadata, ...tags });
  if (Object.keys(all).length > MAX_TAGS) faults.add(`${prefix}tags`, TOO_MANY);
  return all;
}

/** The same, where nothing else of the body is left to check.
 *  @throws Invalid with everything that `faults` has collected */
export const checkedTags = (body: Parameters<typeof givenTags>[0], faults = new Faults()): StoredTags =>
  faults.require(givenTags(body, faults));

/** Adds what is wrong with a merge patch by itself. */
export function checkTagChanges(
  { tags }: { readonly tags?: TagChanges | null | undefined },
  faults: Faults,
): void {
  faults.try(() => parseTags(givenOf(tags ?? {})));
}

type TagChanges = Readonly<Record<string, string | null>>;

/** Those that get a value. */
const givenOf = (patch: TagChanges): Record<string, string> =>
  Object.fromEntries(Object.entries(patch).filter((entry): entry is [string, string] => entry[1] !== null));

/** Applies a merge patch; null keeps nothing but the read-only tags, and without a patch all stay.
 *  @throws Invalid for a faulty key or value, or a change of a read-only tag */
export function patchTags(stored: StoredTags, patch: TagChanges | null | undefined): StoredTags {
  if (patch === undefined) return stored;
  const readOnly = Object.fromEntries(Object.entries(stored).filter(([, tag]) => tag.read_only));
  if (patch === null) return readOnly;
  const added = newTags(parseTags(givenOf(patch)));
  const removed = Object.entries(patch)
    .filter(([, value]) => value === null)
    .map(([key]) => key.trim());
  refuseReadOnly(readOnly, added, removed);
  const kept = Object.entries({ ...stored, ...added, ...readOnly }).filter(([key]) => !removed.includes(key));
  return atMost(stored, Object.fromEntries(kept));
}

/** Applies an operator's merge patch over the read-only tags; those of the user stay, but for a key that becomes
 *  read-only. Null removes every read-only tag.
 *  @throws Invalid for a faulty key or value */
export function patchReadOnlyTags(stored: StoredTags, patch: TagChanges | null): StoredTags {
  const added = Object.entries(parseTags(givenOf(patch ?? {})));
  const removed = new Set(Object.keys(patch ?? {}).map((key) => key.trim()));
  const kept = Object.entries(stored).filter(
    ([key, tag]) => !tag.read_only || (patch !== null && !removed.has(key)),
  );
  const marked = added.map(([key, value]) => [key, { value, read_only: true }] as const);
  return atMost(stored, Object.fromEntries([...kept, ...marked]));
}

/** What had more before the limit was there may become fewer. */
function atMost(before: StoredTags, after: StoredTags): StoredTags {
  const count = Object.keys(after).length;
  if (count <= MAX_TAGS || count <= Object.keys(before).length) return after;
  throw new Invalid({ tags: [TOO_MANY] });
}

function refuseReadOnly(readOnly: StoredTags, added: StoredTags, removed: readonly string[]): void {
  const faults = new Faults();
  for (const [key, tag] of Object.entries(readOnly)) {
    const changes = removed.includes(key) || (Object.hasOwn(added, key) && added[key]?.value !== tag.value);
    if (changes) faults.add(`tags.${key}`, 'is read-only');
  }
  faults.refuse();
}

export function sameTags(a: StoredTags, b: StoredTags): boolean {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => a[key]?.value === b[key]?.value && a[key]?.read_only === b[key]?.read_only)
  );
}

export function viewTags(stored: StoredTags): Tag[] {
  return Object.entries(stored).map(([key, { value, read_only }]) => ({ key, value, read_only }));
}

/** The plain object of tags that older clients read as `metadata`. */
export function viewMetadata(stored: StoredTags): Record<string, string> {
  return Object.fromEntries(Object.entries(stored).map(([key, tag]) => [key, tag.value]));
}
