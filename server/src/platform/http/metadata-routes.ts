import { type TSchema, Type } from '@sinclair/typebox';
import { NotFound } from '../../kernel/errors.ts';
import type { TaskRef } from '../tasks/start.ts';
import type { RegionContext } from './context.ts';
import type { RegionPath } from './paths.ts';
import type { Route } from './route.ts';
import { ListOf, TaskIds } from './schemas.ts';
import { parseTags, Tag } from './tags.ts';

/** How older clients read and write tags: by themselves, as `metadata` of the resource. One way for every noun. */

export type MetadataPatch = Readonly<Record<string, string | null>>;

type NounPath = RegionPath<Record<string, TSchema>>;

/** A noun with tags, and the services that read and change them. */
export interface TaggedNoun {
  /** In summaries: "a network". */
  readonly noun: string;
  /** Where one is: `/cloud/v1/networks/{project_id}/{region_id}/{network_id}`. The last part names it. */
  readonly at: NounPath;
  /** @throws NotFound */
  tags(ctx: RegionContext, id: string): Promise<readonly Tag[]>;
  /** A merge patch: null removes a key. Resolves when it is done, or was begun by a task that takes its time.
   *  @throws Invalid, NotFound, Conflict */
  patch(ctx: RegionContext, id: string, patch: MetadataPatch): Promise<unknown>;
}

export const MetadataList = ListOf(Tag, 'MetadataList');
/** Keys and values are checked when they have been stripped. */
export const MetadataInput = Type.Unsafe<MetadataPatch>({
  type: 'object',
  additionalProperties: { type: ['string', 'null'] },
  description: 'Values by their keys; null removes a key.',
  $id: 'MetadataPatch',
});
export const METADATA_EXAMPLES = { MetadataPatch: { environment: 'production', owner: 'team-shop' } };
const KeyQuery = Type.Object({ key: Type.String({ minLength: 1, maxLength: 255 }) });

/** `GET`, `POST` and `PUT …/metadata`, `GET` and `DELETE …/metadata_item?key=`. */
export const metadataRoutes = (noun: TaggedNoun): readonly Route[] => [
  ...metadataListRoutes(noun),
  ...metadataItemRoutes(noun),
];

/** `GET`, `POST` and `PUT …/metadata`. */
export function metadataListRoutes(noun: TaggedNoun): readonly Route[] {
  const list = noun.at.at('metadata');
  return [
    list.get({
      summary: `List the tags of ${noun.noun}`,
      deprecated: true,
      response: MetadataList,
      handler: async (ctx, { params }) => {
        const results = await noun.tags(ctx, idOf(noun, params));
        return { count: results.length, results };
      },
    }),
    list.post({
      summary: `Add tags to ${noun.noun}; the others stay`,
      deprecated: true,
      body: MetadataInput,
      status: 204,
      handler: (ctx, { params, body }) => addTags(noun, ctx, idOf(noun, params), body),
    }),
    list.put({
      summary: `Replace the tags of ${noun.noun}`,
      deprecated: true,
      body: MetadataInput,
      status: 204,
      handler: (ctx, { params, body }) => replaceTags(noun, ctx, idOf(noun, params), body),
    }),
  ];
}

/** `GET` and `DELETE …/metadata_item?key=`. */
export function metadataItemRoutes(noun: TaggedNoun): readonly Route[] {
  const item = noun.at.at('metadata_item');
  return [
    item.get({
      summary: `Get a tag of ${noun.noun}`,
      deprecated: true,
      query: KeyQuery,
      response: Tag,
      handler: (ctx, { params, query }) => findTag(noun, ctx, idOf(noun, params), query.key),
    }),
    item.delete({
      summary: `Remove a tag of ${noun.noun}`,
      deprecated: true,
      query: KeyQuery,
      status: 204,
      handler: (ctx, { params, query }) => removeTag(noun, ctx, idOf(noun, params), query.key),
    }),
  ];
}

/** `GET` and `DELETE …/metadata/{key}`. */
export function metadataKeyRoutes(noun: TaggedNoun): readonly Route[] {
  const item = noun.at.at('metadata/{key}', KeyQuery.properties);
  return [
    item.get({
      summary: `Get a tag of ${noun.noun} by its key`,
      deprecated: true,
      response: Tag,
      handler: (ctx, { params }) => findTag(noun, ctx, idOf(noun, params), String(params.key)),
    }),
    item.delete({
      summary: `Remove a tag of ${noun.noun} by its key`,
      deprecated: true,
      status: 204,
      handler: (ctx, { params }) => removeTag(noun, ctx, idOf(noun, params), String(params.key)),
    }),
  ];
}

/** The same writes, answered with the task that does them. */
export function metadataTaskRoutes(
  noun: Omit<TaggedNoun, 'patch'> & {
    patch(ctx: RegionContext, id: string, patch: MetadataPatch): Promise<TaskRef>;
  },
): readonly Route[] {
  const list = noun.at.at('metadata');
  return [
    list.post({
      summary: `Add tags to ${noun.noun} by a task; the others stay`,
      deprecated: true,
      body: MetadataInput,
      response: TaskIds,
      handler: (ctx, { params, body }) => addTags(noun, ctx, idOf(noun, params), body),
    }),
    list.put({
      summary: `Replace the tags of ${noun.noun} by a task`,
      deprecated: true,
      body: MetadataInput,
      response: TaskIds,
      handler: (ctx, { params, body }) => replaceTags(noun, ctx, idOf(noun, params), body),
    }),
    noun.at.at('metadata_item').delete({
      summary: `Remove a tag of ${noun.noun} by a task`,
      deprecated: true,
      query: KeyQuery,
      response: TaskIds,
      handler: (ctx, { params, query }) => removeTag(noun, ctx, idOf(noun, params), query.key),
    }),
  ];
}

function addTags(noun: TaggedNoun, ctx: RegionContext, id: string, body: MetadataPatch) {
  return noun.patch(ctx, id, checked(body));
}

/** Replaces the tags of a noun by those of the body; read-only ones stay. */
export async function replaceTags(noun: TaggedNoun, ctx: RegionContext, id: string, body: MetadataPatch) {
  const tags = checked(body);
  const had = await noun.tags(ctx, id);
  const gone = had.filter(({ key, read_only }) => !read_only && !(key in tags));
  return noun.patch(ctx, id, { ...Object.fromEntries(gone.map(({ key }) => [key, null])), ...tags });
}

async function removeTag(noun: TaggedNoun, ctx: RegionContext, id: string, key: string) {
  const tag = await findTag(noun, ctx, id, key);
  return noun.patch(ctx, id, { [tag.key]: null });
}

/** @throws NotFound, also when there is no such key */
async function findTag(noun: TaggedNoun, ctx: RegionContext, id: string, key: string): Promise<Tag> {
  const tag = (await noun.tags(ctx, id)).find((each) => each.key === key.trim());
  if (!tag) throw new NotFound(`Tag ${key.trim()} was not found`);
  return tag;
}

/** The body with its keys stripped.
 *  @throws Invalid naming every faulty key */
function checked(body: MetadataPatch): MetadataPatch {
  const given = Object.entries(body).filter((entry): entry is [string, string] => entry[1] !== null);
  const removed = Object.keys(body).filter((key) => body[key] === null);
  return {
    ...Object.fromEntries(removed.map((key) => [key.trim(), null])),
    ...parseTags(Object.fromEntries(given), 'metadata'),
  };
}

function idOf({ at }: Pick<TaggedNoun, 'at'>, params: object): string {
  const name = /\{(\w+)\}$/.exec(at.path)?.[1] ?? '';
  return String(Reflect.get(params, name));
}
