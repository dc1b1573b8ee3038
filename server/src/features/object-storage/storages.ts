import type { Static } from '@sinclair/typebox';
import { Conflict, Gone } from '../../kernel/errors.ts';
import { constraintOf } from '../../platform/database/db.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { access, type ObjectStorageService } from './access.ts';
import { nameInUse, nameIsFree } from './names.ts';
import { insertKey } from './parts-store.ts';
import type { CreateObjectStorage, StorageListQuery } from './schema.ts';
import { newAccessKey, newSecret, sealSecret } from './secrets.ts';
import { startStorageTask } from './storage-access.ts';
import { storages } from './store.ts';
import { isSecured } from './tls.ts';
import { viewStorage } from './views.ts';

/** Calls about whole storages. A command is one transaction; the work is a task's, which the call waits for. */

type Service = ObjectStorageService;

export async function listStorages(ctx: RequestContext, query: Static<typeof StorageListQuery>) {
  const { count, rows } = await access.list(ctx, query);
  // All that there is of S3 is standard.
  if (query.type === 'fast') return { count: 0, results: [] };
  return { count, results: rows.map(viewStorage) };
}

/** @throws NotFound, also for one that is deleted */
export async function getStorage(ctx: RequestContext, id: number) {
  return viewStorage(await access.find(ctx.db, ctx, id));
}

/** The authority by which clients know the server of a storage.
 *  @throws NotFound, Conflict for one whose address is without TLS */
export async function getAuthority(ctx: RequestContext, id: number) {
  const row = await access.find(ctx.db, ctx, id);
  if (!isSecured(row))
    throw new Conflict(`Storage ${row.name} has no certificate: its address is not one of TLS (https)`);
  if (row.ca_certificate === null)
    throw new Conflict(`Storage ${row.name} has no certificate yet: it gets one with its next change`);
  return { ca_certificate: row.ca_certificate };
}

/** @returns the storage with its first key, whose secret is not shown again
 *  @throws Invalid, Forbidden, Conflict for a name in use, or when it cannot be made */
export async function createStorage(service: Service, ctx: RequestContext, input: CreateObjectStorage) {
  const region = await service.locations.find(input.location_name);
  const [accessKey, secret, taskId] = [newAccessKey(), newSecret(), ctx.ids.uuid()];
  const { clientId } = ctx.caller;
  const timestamp = ctx.clock.timestamp();
  const made = await namesOnce(input.name, () =>
    ctx.db.transaction(async (tx) => {
      await nameIsFree(tx, clientId, input.name);
      await access.refuseMore(tx, clientId);
      const row = { clientId, regionId: region.id, name: input.name, taskId, timestamp };
      const id = await storages.insert(tx, row);
      const key = { ...sealSecret(ctx.cipher, accessKey, secret), storage_id: id, read_only: false };
      await insertKey(tx, { ...key, pending: null }, timestamp);
      const storage = { id, name: input.name, region_id: region.id };
      return {
        id,
        ref: await startStorageTask(tx, ctx, storage, { type: 'create_object_storage', id: taskId }),
      };
    }),
  );
  await service.tasks.settled(ctx, made.ref, `Storage ${input.name} could not be made`);
  return {
    ...viewStorage(await access.findAny(ctx.db, ctx, made.id)),
    access_keys: [{ access_key: accessKey, secret_key: secret }],
  };
}

/** @throws Conflict when the name is in use */
async function namesOnce<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (constraintOf(error) === 'object_storages_name') throw nameInUse(name);
    throw error;
  }
}

/** @throws NotFound, Locked */
export const deleteStorage = (service: Service, ctx: RequestContext, id: number): Promise<void> =>
  access.delete(service, ctx, id, 'delete_object_storage');

/** Brings back a storage that was deleted, with its keys, buckets and objects; its address is a new one.
 *  @throws NotFound, Locked, Conflict when it is not deleted or its name is in use, Gone when its files are gone */
export async function restoreStorage(service: Service, ctx: RequestContext, id: number): Promise<void> {
  const { name } = await access.findAny(ctx.db, ctx, id);
  const ref = await namesOnce(name, () =>
    ctx.db.transaction(async (tx) => {
      const row = await access.lockAny(tx, ctx, id);
      if (row.status !== 'deleted') throw new Conflict(`Storage ${row.name} is not deleted`);
      if (row.purged_at !== null)
        throw new Gone(`Storage ${row.name} cannot be restored: its files are gone`);
      await nameIsFree(tx, row.client_id, row.name);
      return access.holdFor(tx, ctx, row, { type: 'restore_object_storage', status: 'updating' });
    }),
  );
  await service.tasks.settled(ctx, ref, `Storage ${name} could not be restored`);
}
