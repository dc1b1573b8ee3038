import type { Static } from '@sinclair/typebox';
import { Conflict, Forbidden, Gone, Invalid } from '../../kernel/errors.ts';
import { constraintOf } from '../../platform/database/db.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { type RegionRow, readRegions } from '../regions/index.ts';
import * as access from './access.ts';
import { insertKey } from './parts-store.ts';
import type { CreateObjectStorage, LocationListQuery, StorageListQuery } from './schema.ts';
import { newAccessKey, newSecret, sealSecret } from './secrets.ts';
import * as store from './store.ts';
import { viewStorage } from './views.ts';

/** Calls about whole storages. A command is one transaction; the work is a task's, which the call waits for. */

type Service = access.ObjectStorageService;

const MAX_STORAGES = 100;

/** Regions that have object storage, working or not. */
async function regionsWith(service: Service, ctx: RequestContext): Promise<RegionRow[]> {
  const all = await readRegions(ctx.db);
  return all.filter(({ id, state }) => state === 'ACTIVE' && service.providerOf(id) !== undefined);
}

const LOCATION_FIELDS = ['name', 'title', 'technical_name', 'type', 'address', 'created_at'] as const;

/** Regions where storages can be made here and now. */
export async function listLocations(
  service: Service,
  ctx: RequestContext,
  query: Static<typeof LocationListQuery>,
) {
  const [field, direction] = access.readOrder(query.order_by, LOCATION_FIELDS).split('.');
  const regions = (await regionsWith(service, ctx)).filter(
    ({ id }) => query.type !== 'sftp' && service.providerOf(id)?.unavailable() === undefined,
  );
  const keyOf = (row: RegionRow) =>
    field === 'created_at' ? row.created_at.toISOString() : field === 'title' ? row.display_name : row.slug;
  const sign = direction === 'desc' ? -1 : 1;
  const sorted = [...regions].sort((a, b) => {
    const [left, right] = [keyOf(a), keyOf(b)];
    return sign * (Number(left > right) - Number(left < right) || a.id - b.id);
  });
  const { limit = 10, offset = 0 } = query;
  return {
    count: sorted.length,
    results: sorted.slice(offset, offset + limit).map(({ slug, display_name }) => ({
      name: slug,
      title: display_name,
      technical_name: slug,
      type: 's3_compatible' as const,
      address: '',
    })),
  };
}

/** @throws Invalid for a place that there is not, Forbidden for one that has no storages at present */
async function locate(service: Service, ctx: RequestContext, name: string): Promise<RegionRow> {
  const regions = await regionsWith(service, ctx);
  const region = regions.find(({ slug }) => slug === name);
  if (!region) {
    const names = regions.map(({ slug }) => slug).join(', ');
    throw new Invalid({ location_name: [`must be one of ${names || 'none at present'}`] });
  }
  const fault = service.providerOf(region.id)?.unavailable();
  if (fault) throw new Forbidden(`There is no object storage in ${name} at present: ${fault}`);
  return region;
}

export async function listStorages(ctx: RequestContext, query: Static<typeof StorageListQuery>) {
  const order = access.readOrder(query.order_by, store.ORDER_FIELDS);
  const { limit = 10, offset = 0, type } = query;
  if (type === 'fast') return { count: 0, results: [] };
  const { count, rows } = await store.listStorages(ctx.db, {
    clientId: ctx.caller.clientId,
    id: query.id || null,
    name: query.name || null,
    location: query.location_name || null,
    status: query.provisioning_status ?? null,
    showDeleted: query.show_deleted ?? false,
    order,
    limit,
    offset,
  });
  return { count, results: rows.map(viewStorage) };
}

/** @throws NotFound, also for one that is deleted */
export async function getStorage(ctx: RequestContext, id: number) {
  return viewStorage(await access.getStorage(ctx.db, ctx, id));
}

/** @returns the storage with its first key, whose secret is not shown again
 *  @throws Invalid, Forbidden, Conflict for a taken name, or when it cannot be made */
export async function createStorage(service: Service, ctx: RequestContext, input: CreateObjectStorage) {
  const region = await locate(service, ctx, input.location_name);
  const [accessKey, secret, taskId] = [newAccessKey(), newSecret(), ctx.ids.uuid()];
  const { clientId } = ctx.caller;
  const timestamp = ctx.clock.timestamp();
  const made = await namesOnce(input.name, () =>
    ctx.db.transaction(async (tx) => {
      if ((await store.countForNew(tx, clientId)) >= MAX_STORAGES)
        throw new Forbidden(`An account has at most ${MAX_STORAGES} object storages`);
      const row = { clientId, regionId: region.id, name: input.name, taskId, timestamp };
      const id = await store.insertStorage(tx, row);
      const key = { ...sealSecret(ctx.cipher, accessKey, secret), storage_id: id, read_only: false };
      await insertKey(tx, { ...key, pending: null }, timestamp);
      const storage = { id, name: input.name, region_id: region.id };
      return {
        id,
        ref: await access.startFor(tx, ctx, storage, { type: 'create_object_storage', id: taskId }),
      };
    }),
  );
  await service.tasks.settled(ctx, made.ref, `Storage ${input.name} could not be made`);
  return {
    ...viewStorage(await access.getAnyStorage(ctx.db, ctx, made.id)),
    access_keys: [{ access_key: accessKey, secret_key: secret }],
  };
}

/** @throws Conflict when the name is taken */
async function namesOnce<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (constraintOf(error) === 'object_storages_name')
      throw new Conflict(`A storage with the name ${name} exists already`);
    throw error;
  }
}

/** @throws NotFound, Locked */
export async function deleteStorage(service: Service, ctx: RequestContext, id: number): Promise<void> {
  const { row, ref } = await ctx.db.transaction(async (tx) => {
    const row = await access.lockFree(tx, ctx, id);
    if (row.status === 'deleted') await access.getStorage(tx, ctx, id);
    const taskId = ctx.ids.uuid();
    await store.holdStorage(tx, id, taskId, 'deleting');
    return { row, ref: await access.startFor(tx, ctx, row, { type: 'delete_object_storage', id: taskId }) };
  });
  await service.tasks.settled(ctx, ref, `Storage ${row.name} could not be deleted`);
}

/** Brings back a storage that was deleted, with its keys, buckets and objects; its address is a new one.
 *  @throws NotFound, Locked, Conflict when it is not deleted or its name is taken, Gone when its files are gone */
export async function restoreStorage(service: Service, ctx: RequestContext, id: number): Promise<void> {
  const { name } = await access.getAnyStorage(ctx.db, ctx, id);
  const ref = await namesOnce(name, () =>
    ctx.db.transaction(async (tx) => {
      const row = await access.lockFree(tx, ctx, id);
      if (row.status !== 'deleted') throw new Conflict(`Storage ${row.name} is not deleted`);
      if (row.purged_at !== null)
        throw new Gone(`Storage ${row.name} cannot be restored: its files are gone`);
      const taskId = ctx.ids.uuid();
      await store.holdStorage(tx, id, taskId, 'updating');
      return access.startFor(tx, ctx, row, { type: 'restore_object_storage', id: taskId });
    }),
  );
  await service.tasks.settled(ctx, ref, `Storage ${name} could not be restored`);
}
