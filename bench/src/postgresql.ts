import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { newDataDir, removeDataDir, startVirga, type VirgaProcess } from '../../test/harness/process.ts';
import { type Figure, median } from './measure.ts';
import { memoryMiB, processesNaming } from './processes.ts';

const CLUSTERS = '/cloud/v1/dbaas/postgres/clusters/1/1';
const CREATIONS = 5;
const FAILOVERS = 10;

interface Notes {
  readonly primary?: 'a' | 'b';
  /** The replica is there, and has everything. */
  readonly mayTakeOver?: boolean;
}

/** Managed PostgreSQL in a local region: how soon a cluster answers, what it uses, and how soon a replica takes over. */
export async function benchPostgresql(): Promise<Figure[]> {
  const dataDir = newDataDir();
  const virga = await startVirga({ dataDir });
  try {
    await virga.call('PUT', '/cloud/v1/dbaas/status/1/1', { is_initialized: true });
    const first = await firstQuery(virga, 'c0');
    const later: number[] = [];
    for (let i = 1; i <= CREATIONS; i += 1) later.push(await firstQuery(virga, `c${i}`));
    const folder = path.join(dataDir, 'regions', '1', 'postgresql');
    const ids = readdirSync(folder).filter((name) => name.length === 36);
    const memory = median(ids.map((id) => memoryMiB(processesNaming(id))));
    const times = await failovers(virga, folder);
    return [
      { what: 'first PostgreSQL cluster: request to first query', value: seconds(first), goal: '< 2 s' },
      {
        what: `the next ${CREATIONS}: request to first query, median`,
        value: seconds(median(later)),
        goal: '< 2 s',
      },
      {
        what: 'memory of a cluster that is idle (1 GiB, its share of what is shared), median',
        value: `${Math.round(memory)} MiB`,
        goal: '25 MiB',
      },
      {
        what: `kill -9 of a primary to the first row at the same address, ${FAILOVERS} times: median, longest`,
        value: `${seconds(median(times))}, ${seconds(Math.max(...times))}`,
        goal: '< 2 s',
      },
    ];
  } finally {
    await virga.end('SIGTERM');
    removeDataDir(dataDir);
  }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;

/** Milliseconds. */
async function firstQuery(virga: VirgaProcess, name: string, replication?: 'sync'): Promise<number> {
  const since = performance.now();
  const reply = await virga.call('POST', CLUSTERS, {
    cluster_name: name,
    flavor: { cpu: 1, memory_gib: 1 },
    storage: { size_gib: 2, type: 'standard' },
    network: { network_type: 'public', acl: ['127.0.0.0/8'] },
    high_availability: replication ? { replication_mode: replication } : null,
    pg_server_configuration: { pg_conf: '', version: '18' },
    users: [{ name: 'app', role_attributes: ['LOGIN'] }],
    databases: [{ name: 'shop', owner: 'app' }],
  });
  await virga.ended(reply);
  const client = await connect(virga, name);
  await client.query('select 1');
  const duration = performance.now() - since;
  await client.end();
  return duration;
}

const passwords = new Map<string, pg.ClientConfig>();

async function connect(virga: VirgaProcess, name: string): Promise<pg.Client> {
  const known = passwords.get(name) ?? (await settingsOf(virga, name));
  passwords.set(name, known);
  const client = new pg.Client({ ...known, connectionTimeoutMillis: 1_000, query_timeout: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function settingsOf(virga: VirgaProcess, name: string): Promise<pg.ClientConfig> {
  const { network } = (await virga.call('GET', `${CLUSTERS}/${name}`)).body;
  const { password } = (await virga.call('GET', `${CLUSTERS}/${name}/users/app/credentials`)).body;
  const ssl = { rejectUnauthorized: false };
  return { host: network.host, user: 'app', database: 'shop', password, ssl };
}

async function failovers(virga: VirgaProcess, folder: string): Promise<number[]> {
  const before = new Set(readdirSync(folder));
  await firstQuery(virga, 'twice', 'sync');
  const id = readdirSync(folder).find((name) => name.length === 36 && !before.has(name)) ?? '';
  const client = await connect(virga, 'twice');
  await client.query('create table rows (i int)');
  await client.end();
  const times: number[] = [];
  for (let i = 0; i < FAILOVERS; i += 1) {
    const notes = (): Notes => JSON.parse(readFileSync(path.join(folder, id, 'notes.json'), 'utf8'));
    while (!notes().mayTakeOver) await delay(100);
    const data = path.join(folder, id, ...(notes().primary === 'b' ? ['b'] : []), 'data');
    const pid = Number(readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    process.kill(pid, 'SIGKILL');
    const since = performance.now();
    await rowWritten(virga);
    times.push(performance.now() - since);
  }
  return times;
}

async function rowWritten(virga: VirgaProcess): Promise<void> {
  for (;;) {
    try {
      const client = await connect(virga, 'twice');
      await client.query('insert into rows values (1)');
      return await client.end();
    } catch {
      await delay(10);
    }
  }
}
