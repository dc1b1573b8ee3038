import { type Examples, several } from '../../platform/openapi/examples.ts';

const GIB = 1024 ** 3;
const scope = { storage_name: 'shop-media', bucket_name: 'pictures' };

export const storageNotificationExamples: Examples = {
  StorageNotificationEventInput: several({
    'When a bucket grows beyond 50 GiB': { name: 'reaching_used_space', ...scope, bytes: 50 * GIB },
    'When a bucket has a million files': { name: 'reaching_files_quantity', ...scope, count: 1_000_000 },
  }),
  StorageNotificationEventsInput: {
    reaching_used_space: [{ ...scope, bytes: 50 * GIB }],
    reaching_used_requests: [{ storage_name: 'shop-media', count: 5_000_000 }],
  },
  StorageUsageReport: {
    id: 'shop-media-2025-01-15T12',
    from: '2025-01-15T11:00:00Z',
    to: '2025-01-15T12:00:00Z',
    buckets: [
      {
        bucket_name: 'pictures',
        used_space: 12 * GIB,
        files_quantity: 48_210,
        used_traffic: 3 * GIB,
        used_requests: 91_402,
      },
    ],
  },
};
