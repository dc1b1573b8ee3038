import type { Examples } from '../../platform/openapi/examples.ts';

const basic = { location_name: 'simulated', name: 'deliveries', password_mode: 'auto' };

export const sftpStorageExamples: Examples = {
  CreateSftpStorage: basic,
  UpdateSftpStorage: { password_mode: 'auto', expires: '2 years 6 months' },
  CreateStorageSshKey: {
    name: 'laptop',
    public_key:
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4ISIbgyTnaeeEfyqQCf6HFhVkn4rlnVF+Z4BqJRAfF me@example.com',
  },
};
