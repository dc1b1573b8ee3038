import type { Transitions } from '../../kernel/transitions.ts';
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

export interface StorageRow extends AnyStorageRow {
  readonly version: number;
  readonly deleted_at: Date | null;
  readonly purged_at: Date | null;
}

export interface KeyRow {
  readonly access_key: string;
  readonly storage_id: number;
  readonly read_only: boolean;
  readonly key_id: string;
  readonly sealed_secret: Buffer;
  readonly pending: 'create' | 'delete' | null;
  readonly created_at: Date;
}

export interface BucketSettings {
  readonly is_public: boolean;
  readonly allowed_origins: readonly string[];
  readonly expiration_days: number;
}

export interface BucketRow extends BucketSettings {
  readonly storage_id: number;
  readonly name: string;
  readonly pending: 'create' | 'update' | 'delete' | null;
  readonly next: BucketSettings | null;
}

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
  if (RESERVED.test(name)) return 'begins or ends as S3 keeps for itself';
  return undefined;
}

/** An origin as browsers send it, or * for all. */
export function originFault(origin: string): string | undefined {
  if (origin === '*') return undefined;
  const plain = origin.replace('*', 'any');
  const fits = URL.canParse(plain) && new URL(plain).origin === plain;
  return fits ? undefined : 'must be * or an origin such as https://app.example or https://*.example';
}
