import type { OpenStackSettings } from '../settings.ts';

/** Of a cloud that is not there. */
export const EXAMPLE: OpenStackSettings = {
  auth_url: 'http://127.0.0.1:1/v3',
  region_name: 'one',
  credential: { id: 'example', sealed: '', key_id: '' },
  vip: { subnet_id: 'f0c7a4a2-27a5-4b43-8f0a-0f6f2b7d7c11', cidr: '10.78.0.0/16' },
  external: { network_id: '6a0c1a52-8e0c-4f0a-8d0c-58c1c4a0a5a1', cidr: '203.0.113.0/24' },
};
