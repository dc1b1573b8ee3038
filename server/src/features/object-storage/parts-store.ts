import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { listPage, type Paging } from '../../platform/database/list-page.ts';
import { inserted } from '../../platform/database/new-rows.ts';
import { listOf } from '../../platform/database/rows.ts';
import { raw, type Sql, sql } from '../../platform/database/sql.ts';
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
  const keys = await db.rows<KeyRow>(
    sql`select ${KEYS} from object_storage_keys where storage_id = ${storageId} order by created_at, access_key`,
  );
  const buckets = await db.rows<BucketRow>(
    sql`select ${BUCKETS} from object_storage_buckets where storage_id = ${storageId} order by name`,
  );
  return { keys, buckets };
}

/** Those that are there: what a task still makes is not. */
const IS_THERE = sql`pending is distinct from 'create'`;

/** How the keys or the buckets of a storage are counted, and one of them is found. */
function partsIn<Row>(table: string, columns: Sql, key: string) {
  const ofStorage = (storageId: number) =>
    sql`from ${raw(table)} where storage_id = ${storageId} and ${IS_THERE}`;
  return {
    count: (db: Queryable, storageId: number): Promise<number> =>
      db.number(sql`select count(*)::int as count ${ofStorage(storageId)}`),
    find: (db: Queryable, storageId: number, name: string) =>
      db.row<Row>(sql`select ${columns} ${ofStorage(storageId)} and ${raw(key)} = ${name}`),
  };
}

export function listKeys(db: Db, { storageId, up, ...page }: { storageId: number; up: boolean } & Paging) {
  const down = up ? 'asc' : 'desc';
  return listPage<KeyRow>(db, {
    table: 'object_storage_keys',
    alias: 'k',
    columns: KEYS,
    key: 'access_key',
    ...page,
    prepared: true,
    where: [sql`storage_id = ${storageId}::int`, IS_THERE],
    order: `created_at ${down}, access_key ${down}`,
  });
}

export const { count: countKeys, find: findKey } = partsIn<KeyRow>('object_storage_keys', KEYS, 'access_key');

/** The newest key that may write and that no task makes or deletes. */
export const findSigningKey = (db: Db, storageId: number): Promise<KeyRow | undefined> =>
  db.row<KeyRow>(sql`select ${KEYS} from object_storage_keys
      where storage_id = ${storageId} and not read_only and pending is null
      order by created_at desc, access_key limit 1`);

export async function insertKey(tx: Tx, key: Omit<KeyRow, 'created_at'>, timestamp: string): Promise<void> {
  await tx.run(
    sql`insert into object_storage_keys (${KEYS}) values (${key.access_key}, ${key.storage_id}, ${key.read_only}, ${key.key_id}, ${key.sealed_secret}, ${key.pending}, ${timestamp})`,
  );
}

export async function markKeyDeleted(tx: Tx, accessKey: string): Promise<void> {
  await tx.run(sql`update object_storage_keys set pending = 'delete' where access_key = ${accessKey}`);
}

/** In the order of names. */
export const listBuckets = (db: Db, { storageId, ...page }: { storageId: number } & Paging) =>
  listPage<BucketRow>(db, {
    table: 'object_storage_buckets',
    alias: 'b',
    columns: BUCKETS,
    key: 'name',
    ...page,
    prepared: true,
    where: [sql`storage_id = ${storageId}::int`, IS_THERE],
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
  const [row] =
    await tx.rows<BucketRow>(sql`insert into object_storage_buckets (storage_id, name, pending, created_at) values (${storageId}, ${name}, 'create', ${timestamp})
     returning ${BUCKETS}`);
  return inserted(row);
}

/** @param next what an update makes of it */
export async function markBucket(
  tx: Tx,
  { storage_id, name }: Pick<BucketRow, 'storage_id' | 'name'>,
  pending: 'update' | 'delete',
  next: BucketSettings | null = null,
): Promise<void> {
  await tx.run(
    sql`update object_storage_buckets set pending = ${pending}, next = ${next && JSON.stringify(next)} where storage_id = ${storage_id} and name = ${name}`,
  );
}

/** What was to come is there, what was to go is gone. */
export async function applyNext(tx: Tx, storageId: number): Promise<void> {
  await settle(tx, storageId, 'delete');
  await tx.run(sql`update object_storage_buckets set pending = null, next = null,
       is_public = coalesce((next->>'is_public')::boolean, is_public),
       allowed_origins = coalesce(next->'allowed_origins', allowed_origins),
       expiration_days = coalesce((next->>'expiration_days')::int, expiration_days)
      where storage_id = ${storageId} and pending is not null`);
}

/** Everything stays as it was. */
export async function dropNext(tx: Tx, storageId: number): Promise<void> {
  await settle(tx, storageId, 'create');
  await tx.run(
    sql`update object_storage_buckets set pending = null, next = null where storage_id = ${storageId} and pending is not null`,
  );
}

/** Forgets the parts with one purpose, and keeps the keys with another. */
async function settle(tx: Tx, storageId: number, gone: 'create' | 'delete'): Promise<void> {
  for (const table of ['object_storage_keys', 'object_storage_buckets'])
    await tx.run(sql`delete from ${raw(table)} where storage_id = ${storageId} and pending = ${gone}`);
  await tx.run(
    sql`update object_storage_keys set pending = null where storage_id = ${storageId} and pending is not null`,
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
    const same = await tx.rows(
      sql`select 1 from object_storages where id = ${seen.storageId} and version = ${seen.version} and task_id is null for update`,
    );
    if (same.length === 0) return;
    await tx.run(
      sql`delete from object_storage_buckets where storage_id = ${seen.storageId} and name <> all(${names}::text[])`,
    );
    await tx.run(sql`insert into object_storage_buckets (storage_id, name, created_at)
       select ${seen.storageId}, name, ${seen.timestamp} from unnest(${names}::text[]) as name on conflict do nothing`);
    await tx.run(sql`update object_storage_buckets as bucket
          set is_public = seen.is_public, allowed_origins = seen.allowed_origins
         from jsonb_to_recordset(${JSON.stringify(settings)}) as seen(name text, is_public boolean, allowed_origins jsonb)
        where bucket.storage_id = ${seen.storageId} and bucket.name = seen.name
          and (bucket.is_public, bucket.allowed_origins) is distinct from (seen.is_public, seen.allowed_origins)`);
  });
}

export type SealedKey = Pick<KeyRow, 'access_key' | 'key_id' | 'sealed_secret'>;

/** Keys whose secret is sealed under another key, locked. */
export async function lockKeysNotUnder(tx: Tx, keyId: string): Promise<SealedKey[]> {
  return tx.rows<SealedKey>(sql`select access_key, key_id, sealed_secret from object_storage_keys where key_id <> ${keyId}
      order by access_key for update`);
}

export async function resealKey(tx: Tx, key: SealedKey): Promise<void> {
  await tx.run(
    sql`update object_storage_keys set key_id = ${key.key_id}, sealed_secret = ${key.sealed_secret} where access_key = ${key.access_key}`,
  );
}
