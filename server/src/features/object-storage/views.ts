import { zuluTime } from '../../kernel/codecs.ts';
import type { BucketRow, KeyRow, StorageRow } from './model.ts';

export const viewStorage = (row: StorageRow) => ({
  id: row.id,
  name: row.name,
  full_name: `${row.client_id}-${row.name}`,
  location_name: row.location,
  type: 'standard' as const,
  address: row.address ?? '',
  provisioning_status: row.status,
  created_at: zuluTime(row.created_at),
});

export const viewKey = (row: Pick<KeyRow, 'access_key' | 'read_only' | 'created_at'>) => ({
  access_key: row.access_key,
  is_read_only: row.read_only,
  // As SDKs call it.
  read_only: row.read_only,
  created_at: zuluTime(row.created_at),
});

export const viewBucket = (row: BucketRow) => ({
  name: row.name,
  storage_id: row.storage_id,
  cors: { allowed_origins: [...row.allowed_origins] },
  lifecycle: { expiration_days: row.expiration_days },
  policy: { is_public: row.is_public },
});
