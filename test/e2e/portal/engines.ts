import type { Page } from 'playwright-core';
import type { Schemas } from '../../../client/src/index.ts';

/** One of what needs an engine that not every machine has, as the API answers it. */

const AT = '2026-01-31T12:00:00Z';

const CLUSTER: Schemas['PostgresqlCluster'] = {
  cluster_name: 'bakery',
  created_at: AT,
  status: 'READY',
  flavor: { cpu: 1, memory_gib: 2 },
  storage: { size_gib: 10, type: 'ssd' },
  network: {
    acl: ['0.0.0.0/0'],
    connection_string: 'postgresql://app@10.0.0.9:5432/shop?sslmode=require',
    host: '10.0.0.9',
    network_type: 'public',
  } as Schemas['PostgresqlCluster']['network'],
  high_availability: null,
  pg_server_configuration: { version: '15', pg_conf: '', pooler: null },
  databases: [{ name: 'shop', owner: 'app', size: 8_000_000 }],
  users: [{ name: 'app', role_attributes: ['LOGIN'], is_secret_revealed: false }],
};

const STORAGE: Schemas['ObjectStorage'] = {
  id: 404,
  name: 'media',
  full_name: 'media',
  location_name: 'local',
  type: 'standard',
  address: 'http://10.0.0.8',
  provisioning_status: 'active',
  created_at: AT,
};

const listOf = (item: object) => ({ count: 1, results: [item] });

const ANSWERS: readonly (readonly [RegExp, object])[] = [
  [/\/dbaas\/status\/\d+\/\d+$/, { is_initialized: true }],
  [/\/postgres\/clusters\/\d+\/\d+(\?|$)/, listOf(CLUSTER)],
  [/\/postgres\/clusters\/\d+\/\d+\/[^/]+$/, CLUSTER],
  [
    /\/postgresql_clusters\/.*\/servers$/,
    { servers: [], phase: 'serving', missing: null, took_over_at: null },
  ],
  [/\/object_storages(\?|$)/, listOf(STORAGE)],
  [/\/object_storages\/\d+$/, STORAGE],
  [
    /\/object_storages\/\d+\/buckets/,
    listOf({
      name: 'films',
      storage_id: 404,
      cors: { allowed_origins: [] },
      lifecycle: { expiration_days: 0 },
      policy: { is_public: false },
    }),
  ],
  [
    /\/object_storages\/\d+\/access_keys/,
    listOf({ access_key: 'AKIAEXAMPLE', is_read_only: false, read_only: false, created_at: AT }),
  ],
];

/** Has a page show them. */
export async function pretendEngines(page: Page): Promise<void> {
  for (const [target, json] of ANSWERS) {
    await page.route(target, (route) =>
      route.request().method() === 'GET' ? route.fulfill({ json }) : route.continue(),
    );
  }
}
