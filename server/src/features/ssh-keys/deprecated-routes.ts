import { type Static, Type } from '@sinclair/typebox';
import { NotFound } from '../../kernel/errors.ts';
import type { ProjectContext, RequestContext } from '../../platform/http/context.ts';
import { plainPath, regionPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { DateTime, Key, ListOf, Name, Nullable, StringEnum, Uuid } from '../../platform/http/schemas.ts';
import { readProject } from '../projects/index.ts';
import { KeyPairQuery, ShareSshKey } from './schema.ts';
import { createSshKey, deleteSshKey, getSshKey, listSshKeys, shareSshKey, viewSshKey } from './service.ts';
import { listKeysOfClient, readProjectOfKey } from './store.ts';

/** SSH keys as older clients know them: key pairs, under v1 in a region and under v2 in none. They are the same. */

const tag = 'SSH keys';
const MOST = 1000;

const KeyPair = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    sshkey_id: Type.String(),
    sshkey_name: Type.String(),
    public_key: Type.String(),
    private_key: Nullable(Type.String(), { default: null }),
    fingerprint: Nullable(Type.String(), { default: null }),
    shared_in_project: Type.Boolean(),
    state: StringEnum(['ACTIVE', 'DELETING']),
    project_id: Nullable(Type.Integer(), { default: null }),
    created_at: Nullable(DateTime(), { default: null }),
  },
  { $id: 'KeyPair' },
);
const KeyPairList = ListOf(KeyPair, 'KeyPairList');

const CreateKeyPair = Type.Object(
  {
    sshkey_name: Name({ minLength: 1, maxLength: 255 }),
    public_key: Type.Optional(Nullable(Type.String({ maxLength: 16_384 }), { default: null })),
    shared_in_project: Type.Optional(Nullable(Type.Boolean(), { default: true })),
  },
  { $id: 'CreateKeyPair' },
);
const CreateKeyPairV2 = Type.Object(
  { ...CreateKeyPair.properties, project_id: Key() },
  { $id: 'CreateKeyPairInProject' },
);

/** @param privateKey of a pair that was made for this answer */
function keyPair(key: ReturnType<typeof viewSshKey>, privateKey: string | null = null) {
  return { ...key, sshkey_id: key.id, sshkey_name: key.name, private_key: privateKey };
}

async function create(ctx: ProjectContext, input: Static<typeof CreateKeyPair>) {
  const { private_key, ...key } = await createSshKey(ctx, {
    name: input.sshkey_name,
    // Older clients send an empty text for none.
    ...(input.public_key ? { public_key: input.public_key } : {}),
    shared_in_project: input.shared_in_project ?? true,
  });
  return keyPair(key, private_key);
}

async function list(ctx: ProjectContext) {
  const { count, results } = await listSshKeys(ctx, { limit: MOST, offset: 0, order_by: 'created_at.desc' });
  return { count, results: results.map((key) => keyPair(key)) };
}

/** A context of the project, if the caller's client has it.
 *  @throws NotFound */
async function inProject(ctx: RequestContext, id: number): Promise<ProjectContext> {
  const project = await readProject(ctx.db, id, ctx.caller.clientId);
  if (!project) throw new NotFound(`Project ${id} was not found`);
  return { ...ctx, project: { id, clientId: project.client_id } };
}

/** A context of the project that has the key.
 *  @throws NotFound */
async function withKey(ctx: RequestContext, id: string): Promise<ProjectContext> {
  const projectId = await readProjectOfKey(ctx.db, id, ctx.caller.clientId);
  if (projectId === undefined) throw new NotFound(`SSH key ${id} was not found`);
  return inProject(ctx, projectId);
}

const all = regionPath(tag, '/cloud/v1/keypairs/{project_id}/{region_id}');
const one = all.at('{keypair_id}', { keypair_id: Uuid() });

const inRegions: readonly Route[] = [
  all.post({
    summary: 'Add a key pair, or have one made',
    deprecated: true,
    body: CreateKeyPair,
    sensitive: true,
    response: KeyPair,
    handler: (ctx, { body }) => create(ctx, body),
  }),
  all.get({
    summary: 'List key pairs',
    deprecated: true,
    response: KeyPairList,
    handler: list,
  }),
  one.get({
    summary: 'Get a key pair',
    deprecated: true,
    response: KeyPair,
    handler: async (ctx, { params: { keypair_id: id } }) => keyPair(await getSshKey(ctx, id)),
  }),
  one.delete({
    summary: 'Delete a key pair',
    deprecated: true,
    status: 204,
    handler: (ctx, { params: { keypair_id: id } }) => deleteSshKey(ctx, id),
  }),
  one.at('share').patch({
    operationId: 'shareKeyPairV1',
    summary: 'Share a key pair in its project, or keep it to its owner',
    deprecated: true,
    sensitive: true,
    body: ShareSshKey,
    response: KeyPair,
    handler: async (ctx, { params: { keypair_id: id }, body }) =>
      keyPair(await shareSshKey(ctx, id, body.shared_in_project)),
  }),
];

const V2 = plainPath(tag, '/cloud/v2/keypairs');

const inNoRegion: readonly Route[] = [
  V2.post({
    summary: 'Add a key pair to a project, or have one made',
    deprecated: true,
    access: 'write',
    body: CreateKeyPairV2,
    sensitive: true,
    response: KeyPair,
    handler: async (ctx, { body }) => create(await inProject(ctx, body.project_id), body),
  }),
  V2.get({
    summary: 'List the key pairs of all projects, or of one',
    deprecated: true,
    access: 'read',
    query: KeyPairQuery,
    response: KeyPairList,
    handler: async (ctx, { query }) => {
      const { clientId, userId } = ctx.caller;
      const rows = await listKeysOfClient(ctx.db, clientId, userId, query, MOST);
      return { count: rows.length, results: rows.map((row) => keyPair(viewSshKey(row))) };
    },
  }),
  V2.at('{keypair_id}', { keypair_id: Uuid() }).get({
    summary: 'Get a key pair, whichever project has it',
    deprecated: true,
    access: 'read',
    response: KeyPair,
    handler: async (ctx, { params: { keypair_id: id } }) =>
      keyPair(await getSshKey(await withKey(ctx, id), id)),
  }),
  V2.at('{keypair_id}', { keypair_id: Uuid() }).delete({
    summary: 'Delete a key pair, whichever project has it',
    deprecated: true,
    access: 'write',
    status: 204,
    handler: async (ctx, { params: { keypair_id: id } }) => deleteSshKey(await withKey(ctx, id), id),
  }),
];

export const deprecatedSshKeyRoutes: readonly Route[] = [...inRegions, ...inNoRegion];
