import type { Static } from '@sinclair/typebox';
import { Conflict, Forbidden, Invalid, NotFound } from '../../kernel/errors.ts';
import { constraintOf, type Tx } from '../../platform/database/db.ts';
import { viewPage } from '../../platform/database/list-page.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { access, type ObjectStorageService } from './access.ts';
import {
  type BucketRow,
  type BucketSettings,
  bucketNameFault,
  originFault,
  type StorageRow,
} from './model.ts';
import * as parts from './parts-store.ts';
import type { OrderedQuery, PageQuery, UpdateBucket } from './schema.ts';
import { newAccessKey, newSecret, sealSecret } from './secrets.ts';
import { readOrder } from './storage-access.ts';
import type { CHANGES } from './tasks.ts';
import { viewBucket, viewKey } from './views.ts';

/** Calls about the keys and buckets of a storage. */

type Service = ObjectStorageService;
type Change = (typeof CHANGES)[number];

/** Access keys that a storage can have. */
export const MAX_KEYS = 100;
const MAX_BUCKETS = 1000;

/** Changes a storage in one transaction, and waits for the task that does the work.
 *  @throws NotFound, Locked, Conflict when it cannot be done */
async function change<T>(
  service: Service,
  ctx: RequestContext,
  { id, type, failure }: { readonly id: number; readonly type: Change; readonly failure: string },
  write: (tx: Tx, row: StorageRow) => Promise<T>,
): Promise<T> {
  const { ref, written } = await ctx.db.transaction(async (tx) => {
    const row = await access.lockActive(tx, ctx, id);
    const written = await write(tx, row);
    return { ref: await access.holdFor(tx, ctx, row, { type, status: 'updating' }), written };
  });
  await service.tasks.settled(ctx, ref, failure);
  return written;
}

/** @throws NotFound */
export async function listKeys(ctx: RequestContext, storageId: number, query: Static<typeof OrderedQuery>) {
  const order = readOrder(query.order_by, ['created_at']);
  await access.find(ctx.db, ctx, storageId);
  const { limit, offset } = query;
  const page = await parts.listKeys(ctx.db, {
    storageId,
    limit,
    offset,
    up: order.endsWith('.asc'),
  });
  return viewPage(page, viewKey);
}

const noKey = (accessKey: string) => new NotFound(`Access key ${accessKey} was not found`);

/** @throws NotFound */
export async function getKey(ctx: RequestContext, storageId: number, accessKey: string) {
  await access.find(ctx.db, ctx, storageId);
  const key = await parts.findKey(ctx.db, storageId, accessKey);
  if (!key) throw noKey(accessKey);
  return viewKey(key);
}

/** @returns the key with its secret, which is not shown again */
export async function createKey(service: Service, ctx: RequestContext, storageId: number, readOnly: boolean) {
  const [accessKey, secret] = [newAccessKey(), newSecret()];
  const order = {
    id: storageId,
    type: 'create_storage_access_key',
    failure: 'The key could not be made',
  } as const;
  await change(service, ctx, order, async (tx, row) => {
    if ((await parts.countKeys(tx, row.id)) >= MAX_KEYS)
      throw new Forbidden(`A storage has at most ${MAX_KEYS} access keys`);
    const key = { ...sealSecret(ctx.cipher, accessKey, secret), storage_id: row.id, read_only: readOnly };
    await parts.insertKey(tx, { ...key, pending: 'create' }, ctx.clock.timestamp());
  });
  // A task that takes longer than this call is still making it.
  const made = { access_key: accessKey, read_only: readOnly, created_at: ctx.clock.now() };
  return { ...viewKey((await parts.findKey(ctx.db, storageId, accessKey)) ?? made), secret_key: secret };
}

/** It stops working before this ends. @throws NotFound */
export async function deleteKey(service: Service, ctx: RequestContext, storageId: number, accessKey: string) {
  const failure = 'The key could not be deleted';
  await change(service, ctx, { id: storageId, type: 'delete_storage_access_key', failure }, async (tx) => {
    if (!(await parts.findKey(tx, storageId, accessKey))) throw noKey(accessKey);
    await parts.markKeyDeleted(tx, accessKey);
  });
}

/** @throws NotFound */
export async function listBuckets(ctx: RequestContext, storageId: number, query: Static<typeof PageQuery>) {
  await access.find(ctx.db, ctx, storageId);
  const { limit, offset } = query;
  return viewPage(await parts.listBuckets(ctx.db, { storageId, limit, offset }), viewBucket);
}

/** @throws NotFound */
export async function getBucket(ctx: RequestContext, storageId: number, name: string) {
  await access.find(ctx.db, ctx, storageId);
  return viewBucket(await find(ctx.db, storageId, name));
}

async function find(db: Parameters<typeof parts.findBucket>[0], storageId: number, name: string) {
  const row = await parts.findBucket(db, storageId, name);
  if (!row) throw new NotFound(`Bucket ${name} was not found`);
  return row;
}

/** @throws Invalid, Conflict when there is one of this name */
export async function createBucket(service: Service, ctx: RequestContext, storageId: number, name: string) {
  const fault = bucketNameFault(name);
  if (fault) throw new Invalid({ name: [fault] });
  const conflict = new Conflict(`A bucket with the name ${name} exists already`);
  const failure = `Bucket ${name} could not be made`;
  try {
    const order = { id: storageId, type: 'create_storage_bucket', failure } as const;
    const made = await change(service, ctx, order, async (tx, row) => {
      if ((await parts.countBuckets(tx, row.id)) >= MAX_BUCKETS)
        throw new Forbidden(`A storage has at most ${MAX_BUCKETS} buckets`);
      return parts.insertBucket(tx, row.id, name, ctx.clock.timestamp());
    });
    return viewBucket(made);
  } catch (error) {
    throw constraintOf(error) === 'object_storage_buckets_pkey' ? conflict : error;
  }
}

/** @throws NotFound, Conflict when it has objects */
export async function deleteBucket(service: Service, ctx: RequestContext, storageId: number, name: string) {
  const failure = `Bucket ${name} could not be deleted`;
  await change(service, ctx, { id: storageId, type: 'delete_storage_bucket', failure }, async (tx) => {
    await parts.markBucket(tx, await find(tx, storageId, name), 'delete');
  });
}

/** What is not given stays. @throws Invalid, NotFound */
export async function updateBucket(
  service: Service,
  ctx: RequestContext,
  { storage_id: storageId, name }: { readonly storage_id: number; readonly name: string },
  input: UpdateBucket,
) {
  checkOrigins(input.cors?.allowed_origins ?? []);
  await access.find(ctx.db, ctx, storageId);
  const before = await find(ctx.db, storageId, name);
  if (JSON.stringify(settingsOf(before, input)) === JSON.stringify(settingsOf(before, {})))
    return viewBucket(before);
  const failure = `Bucket ${name} could not be changed`;
  const order = { id: storageId, type: 'update_storage_bucket', failure } as const;
  const changed = await change(service, ctx, order, async (tx) => {
    const row = await find(tx, storageId, name);
    const settings = settingsOf(row, input);
    await parts.markBucket(tx, row, 'update', settings);
    return { ...row, ...settings };
  });
  return viewBucket(changed);
}

const settingsOf = (row: BucketRow, { cors, lifecycle, policy }: UpdateBucket): BucketSettings => ({
  is_public: policy?.is_public ?? row.is_public,
  allowed_origins: cors?.allowed_origins ?? row.allowed_origins,
  expiration_days: lifecycle?.expiration_days ?? row.expiration_days,
});

function checkOrigins(origins: readonly string[]): void {
  const faults = origins.flatMap((origin, i) => {
    const fault = originFault(origin);
    return fault ? [[`cors.allowed_origins.${i}`, [fault]] as const] : [];
  });
  if (faults.length > 0) throw new Invalid(Object.fromEntries(faults));
}
