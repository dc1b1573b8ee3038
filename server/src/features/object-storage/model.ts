import type { Transitions } from '../../kernel/transitions.ts';
import type { RowOf } from '../../platform/database/rows.ts';
import type { DesiredBucket } from './port.ts';
import type { AnyStorageRow } from './storage-table.ts';

/** What a storage is, and what becomes of it. */

export const STATUSES = ['creating', 'active', 'updating', 'deleting', 'deleted'] as const;
export type StorageStatus = (typeof STATUSES)[number];

/** A storage whose creation fails is gone. */
export const STORAGE_TRANSITIONS: Transitions<StorageStatus> = {
  creating: ['active'],
  active: ['updating', 'deleting'],
  // Deleted again, when it could not be restored.
  updating: ['active', 'deleted'],
  // Back when the deletion had to be given up.
  deleting: ['deleted', 'active'],
  // To be restored, which only object storages can be.
  deleted: ['updating'],
};

/** What object storages keep beside what all storages do. */
export const OWN_COLUMNS = [
  'version',
  'deleted_at',
  'purged_at',
  'ca_certificate',
  'server_certificate',
  'tls_key_id',
  'sealed_tls_key',
] as const;

export type StorageRow = AnyStorageRow & RowOf<'object_storages', typeof OWN_COLUMNS>;

export const KEY_COLUMNS = [
  'access_key',
  'storage_id',
  'read_only',
  'key_id',
  'sealed_secret',
  'pending',
  'created_at',
] as const;

export type KeyRow = RowOf<
  'object_storage_keys',
  typeof KEY_COLUMNS,
  { pending: 'create' | 'delete' | null }
>;

export interface BucketSettings {
  readonly is_public: boolean;
  readonly allowed_origins: readonly string[];
  readonly expiration_days: number;
}

export const BUCKET_COLUMNS = [
  'storage_id',
  'name',
  'is_public',
  'allowed_origins',
  'expiration_days',
  'pending',
  'next',
] as const;

export type BucketRow = RowOf<
  'object_storage_buckets',
  typeof BUCKET_COLUMNS,
  {
    allowed_origins: BucketSettings['allowed_origins'];
    pending: 'create' | 'update' | 'delete' | null;
    next: BucketSettings | null;
  }
>;

export const PLAIN_BUCKET: BucketSettings = { is_public: false, allowed_origins: [], expiration_days: 0 };

/** Days that the files of a deleted storage are kept. */
export const KEPT_DAYS = 7;

export const desiredBucket = (name: string, settings: BucketSettings): DesiredBucket => ({
  name,
  isPublic: settings.is_public,
  allowedOrigins: settings.allowed_origins,
  expirationDays: settings.expiration_days,
});

/** Addresses of the internet protocol would be mistaken for hosts. */
const IP_ADDRESS = /^\d+\.\d+\.\d+\.\d+$/;
const RESERVED = /^(xn--|sthree-|amzn-s3-demo-)|(-s3alias|--ol-s3|\.mrap|--x-s3)$/;

/** What is wrong with a bucket's name beyond its characters and length, or undefined. */
export function bucketNameFault(name: string): string | undefined {
  if (IP_ADDRESS.test(name)) return 'must not look like an IP address';
  if (name.includes('..')) return 'must not have two dots in a row';
  if (RESERVED.test(name)) return 'begins or ends with what S3 reserves';
  return undefined;
}

/** An origin as browsers send it, or * for all. */
export function originFault(origin: string): string | undefined {
  if (origin === '*') return undefined;
  const plain = origin.replace('*', 'any');
  const fits = URL.canParse(plain) && new URL(plain).origin === plain;
  return fits ? undefined : 'must be * or an origin such as https://app.example or https://*.example';
}
