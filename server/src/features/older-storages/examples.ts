import type { Examples } from '../../platform/openapi/examples.ts';

export const olderStorageExamples: Examples = {
  CreateOlderStorage: {
    type: 'sftp',
    location: 'simulated',
    name: 'deliveries-2',
    generate_sftp_password: true,
  },
  UpdateOlderStorage: { expires: '2 years 6 months', server_alias: 'files.example.com' },
  ChangeStorageCredentials: { generate_sftp_password: true, reset_sftp_keys: true },
  CreateOlderStorageKey: {
    name: 'workstation',
    key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4ISIbgyTnaeeEfyqQCf6HFhVkn4rlnVF+Z4BqJRAfF me@example.com',
  },
  ChangeOlderStorageBucketCors: { allowedOrigins: ['https://shop.example.com'] },
  ChangeOlderStorageBucketLifecycle: { expiration_days: 90 },
};
