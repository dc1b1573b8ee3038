import type { Examples } from '../../platform/openapi/examples.ts';

const days = { from: '2025-01-01T00:00:00Z', to: '2025-02-01T00:00:00Z' };

export const objectStorageExamples: Examples = {
  CreateObjectStorage: { location_name: 'simulated', name: 'shop-media' },
  CreateStorageAccessKey: { read_only: true },
  CreateStorageBucket: { name: 'pictures' },
  UpdateStorageBucket: {
    cors: { allowed_origins: ['https://shop.example.com'] },
    lifecycle: { expiration_days: 90 },
    policy: { is_public: true },
  },
  SignStorageUrl: {
    method: 'GET',
    path: '/pictures/cat.jpg',
    parameters: { 'response-content-type': 'image/jpeg' },
    expires_seconds: 3600,
  },
  StorageUsageTotalQuery: { ...days, locations: ['simulated'] },
  StorageUsageSeriesQuery: { ...days, locations: ['simulated'], granularity: '24h' },
};
