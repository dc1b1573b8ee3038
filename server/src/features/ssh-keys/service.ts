import { zuluTime } from '../../kernel/codecs.ts';
import { Conflict, Invalid, NotFound } from '../../kernel/errors.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import { constraintOf } from '../../platform/database/db.ts';
import { viewPage } from '../../platform/database/list-page.ts';
import type { ProjectContext } from '../../platform/http/context.ts';
import { guardProject } from '../projects/index.ts';
import { GLOBAL_REGION, release, reserve } from '../quotas/index.ts';
import { newKeyPair, parsePublicKey } from './key-material.ts';
import type { CreateSshKey, SshKeyListQuery } from './schema.ts';
import * as store from './store.ts';

export function viewSshKey(row: store.SshKeyRow) {
  return {
    id: row.id,
    name: row.name,
    public_key: row.public_key,
    fingerprint: row.fingerprint,
    shared_in_project: row.shared_in_project,
    state: 'ACTIVE',
    project_id: row.project_id,
    created_at: zuluTime(row.created_at),
  };
}

const missing = (id: string) => new NotFound(`SSH key ${id} was not found`);

export async function listSshKeys(ctx: ProjectContext, query: SshKeyListQuery) {
  return viewPage(await store.listSshKeys(ctx.db, store.viewerOf(ctx), query), viewSshKey);
}

/** @throws NotFound, also for another user's key that is not shared */
export async function getSshKey(ctx: ProjectContext, id: string) {
  const row = await store.readSshKey(ctx.db, id, store.viewerOf(ctx));
  if (!row) throw missing(id);
  return viewSshKey(row);
}

/** Stores a public key; without one makes a pair, whose private key is in this answer and nowhere else.
 *  @throws Invalid for a text that is no public key, Conflict for a name in use, QuotaExceeded */
export async function createSshKey(ctx: ProjectContext, input: CreateSshKey) {
  const { id: projectId, clientId } = ctx.project;
  const given = input.public_key === undefined ? undefined : parsePublicKey(input.public_key);
  if (input.public_key !== undefined && !given) {
    throw new Invalid({ public_key: ['must be an OpenSSH public key: "ssh-ed25519 AAAA… comment"'] });
  }
  const made = given ? undefined : await newKeyPair(input.name);
  const key = given ?? made;
  if (!key) throw new Error('no key was made');
  try {
    return await ctx.db.transaction(async (tx) => {
      await guardProject(tx, projectId);
      const row = await store.insertSshKey(tx, {
        id: ctx.ids.uuid(),
        client_id: clientId,
        project_id: projectId,
        user_id: ctx.caller.userId,
        name: input.name,
        public_key: key.text,
        fingerprint: key.fingerprint,
        shared_in_project: input.shared_in_project,
        timestamp: ctx.clock.timestamp(),
      });
      await recordAudit(tx, ctx, { action: 'create_ssh_key', subject: row.id, name: row.name, projectId });
      await reserve(tx, { clientId, regionId: GLOBAL_REGION }, { keypair_count: 1 });
      return { ...viewSshKey(row), private_key: made?.privateKey ?? null };
    });
  } catch (error) {
    if (constraintOf(error) === 'ssh_keys_name')
      throw new Conflict(`An SSH key with the name ${input.name} exists already`);
    throw error;
  }
}

/** @throws NotFound */
export async function shareSshKey(ctx: ProjectContext, id: string, shared: boolean) {
  return ctx.db.transaction(async (tx) => {
    const row = await store.shareSshKey(tx, id, store.viewerOf(ctx), shared);
    if (!row) throw missing(id);
    const { name } = row;
    await recordAudit(tx, ctx, { action: 'update_ssh_key', subject: id, name, projectId: ctx.project.id });
    return viewSshKey(row);
  });
}

/** Machines that have the key keep it.
 *  @throws NotFound */
export async function deleteSshKey(ctx: ProjectContext, id: string): Promise<void> {
  const { id: projectId, clientId } = ctx.project;
  await ctx.db.transaction(async (tx) => {
    if (!(await store.deleteSshKey(tx, id, store.viewerOf(ctx)))) throw missing(id);
    await recordAudit(tx, ctx, { action: 'delete_ssh_key', subject: id, projectId });
    await release(tx, { clientId, regionId: GLOBAL_REGION }, { keypair_count: 1 });
  });
}
