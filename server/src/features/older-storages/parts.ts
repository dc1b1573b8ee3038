import { Invalid } from '../../kernel/errors.ts';
import { type Paging, pageOf } from '../../platform/database/list-page.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import * as s3 from '../object-storage/index.ts';
import * as sftp from '../sftp-storages/index.ts';
import type { CreateOlderKey, KeyQuery } from './schema.ts';
import { findOf, type OlderStorageService, readOrder, viewKey } from './storages.ts';

/** Calls about SSH keys, locations, and buckets. */

const KEY_FIELDS = ['created_at', 'id', 'name'] as const;

/** All that match. @throws Invalid for an order that there is not */
export async function listKeys(ctx: RequestContext, query: KeyQuery) {
  const { id, name = '', created = '', order_by, order_direction = 'desc' } = query;
  const order = `${readOrder(order_by, KEY_FIELDS)}.${order_direction}`;
  const all = await sftp.listSshKeys(ctx, { name, order_by: order, limit: sftp.MAX_KEYS, offset: 0 });
  const found = all.results.filter(
    (key) => (!id || String(key.id) === id) && key.created_at.startsWith(created),
  );
  return pageOf(found, query, viewKey);
}

/** @throws Invalid, Forbidden, Conflict when the name is in use */
export const createKey = async (ctx: RequestContext, { name, key }: CreateOlderKey) =>
  viewKey(await sftp.createSshKey(ctx, { name, public_key: key }));

/** It opens no storage any more when this is answered. @throws NotFound, Locked */
export const deleteKey = (service: OlderStorageService, ctx: RequestContext, id: number): Promise<void> =>
  sftp.deleteSshKey({ ...service, locations: service.sftpLocations }, ctx, id);

/** Where storages can be made, those of S3 first. */
export async function listLocations({ locations, sftpLocations }: OlderStorageService) {
  const listed = [
    ...(await locations.all()).map((each) => ({ ...each, type: 's3_compatible' as const })),
    ...(await sftpLocations.all()).map((each) => ({ ...each, type: 'sftp' as const })),
  ];
  return listed.map(({ region: { id, slug: name, display_name: title }, isOpen, type }) => ({
    id,
    name,
    title,
    type,
    address: '',
    allow_for_new_storage: isOpen ? ('allow' as const) : ('deny' as const),
  }));
}

/** @throws NotFound, Invalid for an SFTP storage */
export async function listBuckets(ctx: RequestContext, id: number, paging: Paging) {
  await findOf(ctx, id, 's3_compatible');
  const { count, results } = await s3.listBuckets(ctx, id, paging);
  return {
    count,
    results: results.map(({ name, lifecycle }) => ({ name, lifecycle: lifecycle.expiration_days })),
  };
}

interface BucketAt {
  readonly storage_id: number;
  readonly bucket_name: string;
}

/** @throws NotFound, Invalid, Conflict when there is one of this name */
export async function createBucket(
  service: OlderStorageService,
  ctx: RequestContext,
  { storage_id: id, bucket_name: name }: BucketAt,
): Promise<void> {
  await findOf(ctx, id, 's3_compatible');
  await named({ name: 'bucket_name' }, 'path', () => s3.createBucket(service, ctx, id, name));
}

/** @throws NotFound, Conflict when it has objects */
export async function deleteBucket(
  service: OlderStorageService,
  ctx: RequestContext,
  { storage_id: id, bucket_name: name }: BucketAt,
): Promise<void> {
  await findOf(ctx, id, 's3_compatible');
  await s3.deleteBucket(service, ctx, id, name);
}

/** @throws NotFound */
export async function getBucket(ctx: RequestContext, { storage_id: id, bucket_name: name }: BucketAt) {
  await findOf(ctx, id, 's3_compatible');
  return s3.getBucket(ctx, id, name);
}

/** What is not given stays. @throws NotFound, Invalid */
export async function changeBucket(
  service: OlderStorageService,
  ctx: RequestContext,
  { storage_id, bucket_name: name }: BucketAt,
  change: Parameters<typeof s3.updateBucket>[3],
): Promise<void> {
  await findOf(ctx, storage_id, 's3_compatible');
  const fields = { 'cors.allowed_origins': 'allowedOrigins' };
  await named(fields, 'body', () => s3.updateBucket(service, ctx, { storage_id, name }, change));
}

/** Names faulty fields as these calls do. @param fields how names begin, and how they begin here */
async function named<T>(
  fields: Readonly<Record<string, string>>,
  location: Invalid['location'],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    const renamed = Object.entries(error.fields).map(([field, messages]) => {
      const [before, here] = Object.entries(fields).find(([start]) => field.startsWith(start)) ?? ['', ''];
      return [`${here}${field.slice(before.length)}`, messages] as const;
    });
    throw new Invalid(Object.fromEntries(renamed), location, error.unnamed);
  }
}
