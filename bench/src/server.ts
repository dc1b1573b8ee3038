import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { GLOBAL_NAMES, REGIONAL_NAMES } from '../../server/src/features/quotas/model.ts';
import {
  API_KEY,
  newDataDir,
  removeDataDir,
  startVirga,
  type VirgaProcess,
} from '../../test/harness/process.ts';

const QUOTAS = [...GLOBAL_NAMES, ...REGIONAL_NAMES];

/** A server of the bench's own, with the database behind it. */
export interface BenchServer {
  readonly virga: VirgaProcess;
  readonly connection: pg.PoolConfig;
  readonly headers: Record<string, string>;
  /** What the first run has written down: `EMAIL`, `PASSWORD`. */
  credential(name: string): string;
  stop(): Promise<void>;
}

export async function startBenchServer(): Promise<BenchServer> {
  const dataDir = newDataDir();
  const virga = await startVirga({ dataDir, env: { VIRGA_TIME_SCALE: '0', VIRGA_RATE_LIMIT: '0' } });
  const connection = connectionOf(dataDir);
  return {
    virga,
    connection,
    headers: { authorization: `APIKey ${API_KEY}` },
    credential: (name) => credentialOf(dataDir, name),
    stop: async () => {
      await virga.end('SIGTERM');
      removeDataDir(dataDir);
    },
  };
}

function credentialOf(dataDir: string, name: string): string {
  const text = readFileSync(path.join(dataDir, 'credentials'), 'utf8');
  return new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? '';
}

/** Tokens for the server of a data directory. */
export const tokensOf = (dataDir: string) => ({
  client: API_KEY,
  operator: credentialOf(dataDir, 'OPERATOR_TOKEN'),
});

/** How to reach the PostgreSQL of a data directory. */
export function connectionOf(dataDir: string): pg.PoolConfig {
  return {
    host: path.join(dataDir, 'postgres/run'),
    port: 5432,
    user: 'virga',
    password: readFileSync(path.join(dataDir, 'postgres/password'), 'utf8').trim(),
    database: 'virga',
  };
}

/** Creates a load balancer and waits for it.
 *  @returns the id of the task */
export async function createLoadBalancer(server: BenchServer, name: string): Promise<string> {
  const reply = await server.virga.call('POST', '/cloud/v1/loadbalancers/1/2', { name });
  return (await server.virga.ended(reply)).id;
}

/** As many of everything as anybody could want. */
export async function raiseQuotas(connection: pg.PoolConfig): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  await client.query(
    `insert into quota_counters (client_id, region_id, name, quota_limit)
     select 1, region, name, 1000000 from unnest($1::int[]) region, unnest($2::text[]) name
     on conflict (client_id, region_id, name) do update set quota_limit = excluded.quota_limit`,
    [[0, 1, 2], QUOTAS],
  );
  await client.end();
}

/** Adds load balancers to a project of the simulated region without going through the API. */
export async function fillLoadBalancers(
  connection: pg.PoolConfig,
  projectId: number,
  count: number,
): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query('begin');
    await client.query('set local session_replication_role = replica');
    await client.query(
      `insert into load_balancers (id, client_id, project_id, region_id, name, provisioning_status, operating_status, created_at)
       select gen_random_uuid(), 1, $1, 2, 'lb ' || i, 'ACTIVE', 'ONLINE', now() - i * interval '1 second'
         from generate_series(1, $2::int) i`,
      [projectId, count],
    );
    await client.query(
      `insert into lb_listeners (id, load_balancer_id, project_id, region_id, name, protocol, protocol_port, provisioning_status, operating_status, created_at)
       select gen_random_uuid(), l.id, l.project_id, l.region_id, 'http', 'HTTP', 80 + p, 'ACTIVE', 'ONLINE', l.created_at
         from load_balancers l cross join generate_series(1, 3) p
        where l.project_id = $1 and not exists (select from lb_listeners where load_balancer_id = l.id)`,
      [projectId],
    );
    await client.query('commit');
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}
