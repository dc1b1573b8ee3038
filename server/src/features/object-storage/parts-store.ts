import { sql } from 'kysely';
import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { listPage, type Paging } from '../../platform/database/list-page.ts';
import { inserted } from '../../platform/database/new-rows.ts';
import { listOf } from '../../platform/database/rows.ts';
import { BUCKET_COLUMNS, type BucketRow, type BucketSettings, KEY_COLUMNS, type KeyRow } from './model.ts';
import type { ObservedBucket } from './port.ts';

/** SQL of keys and buckets. */

const KEYS = listOf(KEY_COLUMNS);
const BUCKETS = listOf(BUCKET_COLUMNS);

export interface Parts {
  readonly keys: readonly KeyRow[];
  readonly buckets: readonly BucketRow[];
}

export async function readParts(db: Queryable, storageId: number): Promise<Parts> {
  const keys = await db.named<KeyRow>(
    'object_storage_keys_read',
    `select ${KEYS} from object_storage_keys where storage_id = $1 order by created_at, access_key`,
    [storageId],
  );
  const buckets = await db.named<BucketRow>(
    'object_storage_buckets_read',
    `select ${BUCKETS} from object_storage_buckets where storage_id = $1 order by name`,
    [storageId],
  );
  return { keys, buckets };
}

/** Those that are there: what a task still makes is not. */
const IS_THERE = `pending is distinct from 'create'`;

/** How the keys or the buckets of a storage are counted, and one of them is found. */
function partsIn<Row>(table: string, columns: string, key: string) {
  const ofStorage = `from ${table} where storage_id = $1 and ${IS_THERE}`;
  return {
    count: (db: Queryable, storageId: number): Promise<number> =>
      db.namedNumber(`${table}_count_parts`, `select count(*)::int as count ${ofStorage}`, [storageId]),
    find: (db: Queryable, storageId: number, name: string) =>
      db.namedRow<Row>(`${table}_find_part`, `select ${columns} ${ofStorage} and ${key} = $2`, [
        storageId,
        name,
      ]),
  };
}

export function listKeys(db: Db, { storageId, up, ...page }: { storageId: number; up: boolean } & Paging) {
  const down = up ? 'asc' : 'desc';
  return listPage<KeyRow>(db, {
    ...{ table: 'object_storage_keys', alias: 'k', columns: KEYS, key: 'access_key', ...page },
    name: `object_storage_keys_list_${down}`,
    where: [sql`storage_id = ${storageId}::int`, sql.raw(IS_THERE)],
    order: `created_at ${down}, access_key ${down}`,
  });
}

export const { count: countKeys, find: findKey } = partsIn<KeyRow>('object_storage_keys', KEYS, 'access_key');

export async function insertKey(tx: Tx, key: Omit<KeyRow, 'created_at'>, timestamp: string): Promise<void> {
  await tx.named(
    'object_storage_key_insert',
    `insert into object_storage_keys (${KEYS}) values ($1, $2, $3, $4, $5, $6, $7)`,
    [key.access_key, key.storage_id, key.read_only, key.key_id, key.sealed_secret, key.pending, timestamp],
  );
}

export async function markKeyDeleted(tx: Tx, accessKey: string): Promise<void> {
  await tx.named(
    'object_storage_key_mark',
    `update object_storage_keys set pending = 'delete' where access_key = $1`,
    [accessKey],
  );
}

/** In the order of names. */
export const listBuckets = (db: Db, { storageId, ...page }: { storageId: number } & Paging) =>
  listPage<BucketRow>(db, {
    ...{ table: 'object_storage_buckets', alias: 'b', columns: BUCKETS, key: 'name', ...page },
    name: 'object_storage_buckets_list',
    where: [sql`storage_id = ${storageId}::int`, sql.raw(IS_THERE)],
    order: 'name',
  });

export const { count: countBuckets, find: findBucket } = partsIn<BucketRow>(
  'object_storage_buckets',
  BUCKETS,
  'name',
);

export async function insertBucket(
  tx: Tx,
  storageId: number,
  name: string,
  timestamp: string,
): Promise<BucketRow> {
  const [row] = await tx.named<BucketRow>(
    'object_storage_bucket_insert',
    `insert into object_storage_buckets (storage_id, name, pending, created_at) values ($1, $2, 'create', $3)
     returning ${BUCKETS}`,
    [storageId, name, timestamp],
  );
  return inserted(row);
}

/** @param next what an update makes of it */
export async function markBucket(
  tx: Tx,
  { storage_id, name }: Pick<BucketRow, 'storage_id' | 'name'>,
  pending: 'update' | 'delete',
  next: BucketSettings | null = null,
): Promise<void> {
  await tx.named(
    'object_storage_bucket_mark',
    'update object_storage_buckets set pending = $3, next = $4 where storage_id = $1 and name = $2',
    [storage_id, name, pending, next && JSON.stringify(next)],
  );
}

/** What was to come is there, what was to go is gone. */
export async function applyNext(tx: Tx, storageId: number): Promise<void> {
  await settle(tx, storageId, 'delete');
  await tx.named(
    'object_storage_buckets_apply',
    `update object_storage_buckets set pending = null, next = null,
       is_public = coalesce((next->>'is_public')::boolean, is_public),
       allowed_origins = coalesce(next->'allowed_origins', allowed_origins),
       expiration_days = coalesce((next->>'expiration_days')::int, expiration_days)
      where storage_id = $1 and pending is not null`,
    [storageId],
  );
}

/** Everything stays as it was. */
export async function dropNext(tx: Tx, storageId: number): Promise<void> {
  await settle(tx, storageId, 'create');
  await tx.named(
    'object_storage_buckets_drop',
    'update object_storage_buckets set pending = null, next = null where storage_id = $1 and pending is not null',
    [storageId],
  );
}

/** Forgets the parts with one purpose, and keeps the keys with another. */
async function settle(tx: Tx, storageId: number, gone: 'create' | 'delete'): Promise<void> {
  for (const table of ['object_storage_keys', 'object_storage_buckets'])
    await tx.named(`${table}_gone`, `delete from ${table} where storage_id = $1 and pending = $2`, [
      storageId,
      gone,
    ]);
  await tx.named(
    'object_storage_keys_settle',
    'update object_storage_keys set pending = null where storage_id = $1 and pending is not null',
    [storageId],
  );
}

/** Brings the buckets and who may use them to what was seen, unless the storage has changed since.
 *  @param version of the storage when it was looked at */
export async function writeSeenBuckets(
  db: Db,
  seen: { storageId: number; version: number; buckets: readonly ObservedBucket[]; timestamp: string },
): Promise<void> {
  const names = seen.buckets.map(({ name }) => name);
  const settings = seen.buckets.map(({ name, isPublic, allowedOrigins }) => ({
    name,
    is_public: isPublic,
    allowed_origins: allowedOrigins,
  }));
  await db.transaction(async (tx) => {
    const same = await tx.named(
      'object_storage_same',
      'select 1 from object_storages where id = $1 and version = $2 and task_id is null for update',
      [seen.storageId, seen.version],
    );
    if (same.length === 0) return;
    await tx.named(
      'object_storage_buckets_lost',
      'delete from object_storage_buckets where storage_id = $1 and name <> all($2::text[])',
      [seen.storageId, names],
    );
    await tx.named(
      'object_storage_buckets_found',
      `insert into object_storage_buckets (storage_id, name, created_at)
       select $1, name, $3 from unnest($2::text[]) as name on conflict do nothing`,
      [seen.storageId, names, seen.timestamp],
    );
    await tx.named(
      'object_storage_buckets_seen',
      `update object_storage_buckets as bucket
          set is_public = seen.is_public, allowed_origins = seen.allowed_origins
         from jsonb_to_recordset($2) as seen(name text, is_public boolean, allowed_origins jsonb)
        where bucket.storage_id = $1 and bucket.name = seen.name
          and (bucket.is_public, bucket.allowed_origins) is distinct from (seen.is_public, seen.allowed_origins)`,
      [seen.storageId, JSON.stringify(settings)],
    );
  });
}

export type SealedKey = Pick<KeyRow, 'access_key' | 'key_id' | 'sealed_secret'>;

/** Keys whose secret is sealed under another key, locked. */
export async function lockKeysNotUnder(tx: Tx, keyId: string): Promise<SealedKey[]> {
  return tx.named<SealedKey>(
    'object_storage_keys_sealed',
    `select access_key, key_id, sealed_secret from object_storage_keys where key_id <> $1
      order by access_key for update`,
    [keyId],
  );
}

export async function resealKey(tx: Tx, key: SealedKey): Promise<void> {
  await tx.named(
    'object_storage_key_reseal',
    'update object_storage_keys set key_id = $2, sealed_secret = $3 where access_key = $1',
    [key.access_key, key.key_id, key.sealed_secret],
  );
}
