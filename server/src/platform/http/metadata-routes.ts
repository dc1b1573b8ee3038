import { type Static, Type } from '@sinclair/typebox';
import { NotFound } from '../../kernel/errors.ts';
import type { TaskRef } from '../tasks/start.ts';
import type { RegionContext } from './context.ts';
import { type Route, regionRoute } from './route.ts';
import { ListOf, RegionParams, TaskIds, Uuid } from './schemas.ts';
import { parseTags, Tag } from './tags.ts';

/** How older clients read and write tags: by themselves, as `metadata` of the resource. One way for every noun. */

export type MetadataPatch = Readonly<Record<string, string | null>>;

/** A noun with tags, and the services that read and change them. */
export interface TaggedNoun {
  /** Tag of its routes in the document. */
  readonly tag: string;
  /** In summaries: "a network". */
  readonly noun: string;
  /** `/cloud/v1/networks/{project_id}/{region_id}/{network_id}`: the last part names it. */
  readonly path: string;
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
  const path = `${noun.path}/metadata`;
  const common = { tag: noun.tag, path, deprecated: true, params: paramsOf(path) };
  return [
    regionRoute({
      ...common,
      method: 'GET',
      summary: `List the tags of ${noun.noun}`,
      access: 'read',
      response: MetadataList,
      handler: async (ctx, { params }) => {
        const results = await noun.tags(ctx, idOf(noun, params));
        return { count: results.length, results };
      },
    }),
    regionRoute({
      ...common,
      method: 'POST',
      summary: `Add tags to ${noun.noun}; the others stay`,
      access: 'write',
      body: MetadataInput,
      status: 204,
      handler: (ctx, { params, body }) => addTags(noun, ctx, idOf(noun, params), body),
    }),
    regionRoute({
      ...common,
      method: 'PUT',
      summary: `Replace the tags of ${noun.noun}`,
      access: 'write',
      body: MetadataInput,
      status: 204,
      handler: (ctx, { params, body }) => replaceTags(noun, ctx, idOf(noun, params), body),
    }),
  ];
}

/** `GET` and `DELETE …/metadata_item?key=`. */
export function metadataItemRoutes(noun: TaggedNoun): readonly Route[] {
  const path = `${noun.path}/metadata_item`;
  const common = { tag: noun.tag, path, deprecated: true, params: paramsOf(path), query: KeyQuery };
  return [
    regionRoute({
      ...common,
      method: 'GET',
      summary: `Get a tag of ${noun.noun}`,
      access: 'read',
      response: Tag,
      handler: (ctx, { params, query }) => findTag(noun, ctx, idOf(noun, params), query.key),
    }),
    regionRoute({
      ...common,
      method: 'DELETE',
      summary: `Remove a tag of ${noun.noun}`,
      access: 'write',
      status: 204,
      handler: (ctx, { params, query }) => removeTag(noun, ctx, idOf(noun, params), query.key),
    }),
  ];
}

/** `GET` and `DELETE …/metadata/{key}`. */
export function metadataKeyRoutes(noun: TaggedNoun): readonly Route[] {
  const path = `${noun.path}/metadata/{key}`;
  const params = Type.Object({ ...paramsOf(noun.path).properties, ...KeyQuery.properties });
  const common = { tag: noun.tag, path, deprecated: true, params };
  return [
    regionRoute({
      ...common,
      method: 'GET',
      summary: `Get a tag of ${noun.noun} by its key`,
      access: 'read',
      response: Tag,
      handler: (ctx, { params }) => findTag(noun, ctx, idOf(noun, params), params.key),
    }),
    regionRoute({
      ...common,
      method: 'DELETE',
      summary: `Remove a tag of ${noun.noun} by its key`,
      access: 'write',
      status: 204,
      handler: (ctx, { params }) => removeTag(noun, ctx, idOf(noun, params), params.key),
    }),
  ];
}

/** The same writes, answered with the task that does them. */
export function metadataTaskRoutes(
  noun: Omit<TaggedNoun, 'patch'> & {
    patch(ctx: RegionContext, id: string, patch: MetadataPatch): Promise<TaskRef>;
  },
): readonly Route[] {
  const { tag } = noun;
  const list = { tag, deprecated: true, access: 'write', response: TaskIds } as const;
  const path = `${noun.path}/metadata`;
  const item = `${noun.path}/metadata_item`;
  return [
    regionRoute({
      ...list,
      method: 'POST',
      path,
      params: paramsOf(path),
      summary: `Add tags to ${noun.noun} by a task; the others stay`,
      body: MetadataInput,
      handler: (ctx, { params, body }) => addTags(noun, ctx, idOf(noun, params), body),
    }),
    regionRoute({
      ...list,
      method: 'PUT',
      path,
      params: paramsOf(path),
      summary: `Replace the tags of ${noun.noun} by a task`,
      body: MetadataInput,
      handler: (ctx, { params, body }) => replaceTags(noun, ctx, idOf(noun, params), body),
    }),
    regionRoute({
      ...list,
      method: 'DELETE',
      path: item,
      params: paramsOf(item),
      query: KeyQuery,
      summary: `Remove a tag of ${noun.noun} by a task`,
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

/** Shapes of the parts of a path: project and region, and ids of what it names. */
function paramsOf(path: string) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));
  const ids = names
    .filter((name) => !(name in RegionParams.properties))
    .map((name) => [name, Uuid()] as const);
  return Type.Object({ ...RegionParams.properties, ...Object.fromEntries(ids) });
}

function idOf(noun: Pick<TaggedNoun, 'path'>, params: Static<ReturnType<typeof paramsOf>>): string {
  const name = /\{(\w+)\}$/.exec(noun.path)?.[1] ?? '';
  return String(Reflect.get(params, name));
}
