import { readdirSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { processesIn } from '../harness/leftovers.ts';
import { clusterBody } from '../harness/managed-postgresql.ts';
import { finished } from '../harness/project.ts';
import { lookFor, startTestServer, type TestServer } from '../harness/server.ts';
import { waitUntil } from '../harness/wait.ts';

/** A newer version by the API, and everything of the cluster killed in the middle of it. */

const CLUSTERS = '/cloud/v1/dbaas/postgres/clusters/1/1';
const NAMES = ['postgresql-18', 'postgresql-17', 'postgresql-tools'];
const engines = await lookFor(NAMES);
const fault = NAMES.map((name) => engines.faultOf(name)).find(Boolean);
const REGION = {
  id: 1,
  display_name: 'Here',
  slug: 'here',
  state: 'ACTIVE' as const,
  provider: 'local',
  settings: {},
};
const body = (version: string) => ({
  ...clusterBody('lab', version),
  flavor: { cpu: 1, memory_gib: 1 },
});

async function start(options: Parameters<typeof startTestServer>[0]): Promise<TestServer> {
  const server = await startTestServer({ regions: [REGION], ...options });
  await server.call('PUT', '/cloud/v1/dbaas/status/1/1', { body: { is_initialized: true } });
  return server;
}

describe.skipIf(fault !== undefined)(
  `a newer version by the API${fault ? `: skipped, ${fault}` : ''}`,
  () => {
    let server: TestServer;
    let password: string;

    const to = (version: string) =>
      server.call('PATCH', `${CLUSTERS}/lab`, { body: { pg_server_configuration: { version } } });
    const cluster = async () => (await server.call('GET', `${CLUSTERS}/lab`)).body;
    const query = async (text: string): Promise<Record<string, unknown>[]> => {
      const { network } = await cluster();
      const ssl = { rejectUnauthorized: false };
      const client = new pg.Client({ host: network.host, user: 'app', database: 'shop', password, ssl });
      client.on('error', () => undefined);
      await client.connect();
      try {
        return (await client.query(text)).rows;
      } finally {
        await client.end().catch(() => undefined);
      }
    };

    beforeAll(async () => {
      server = await start({ engines });
      const made = await server.ended(await server.call('POST', CLUSTERS, { body: body('17') }));
      expect(made).toMatchObject({ state: 'FINISHED' });
      password = (await server.call('GET', `${CLUSTERS}/lab/users/app/credentials`)).body.password;
      await query('create table t as select generate_series(1, 1000) as i');
    });
    afterAll(() => server.close());

    test('an older version, and one that there is not, are refused by name', async () => {
      const field = 'pg_server_configuration.version';
      for (const [version, message] of [
        ['16', 'must not be older than the 17 that it has'],
        ['99', 'must be one of: 18, 17, 16, 15'],
      ] as const) {
        const { status, body: refused } = await to(version);
        expect([status, JSON.stringify(refused)]).toEqual([400, expect.stringContaining(field)]);
        expect(JSON.stringify(refused)).toContain(message);
      }
    });

    test('with all of its servers killed in the middle it is the old one or the new one, whole', async () => {
      const root = path.join(server.dataDir, 'regions', '1', 'postgresql');
      const home = path.join(root, String(readdirSync(root).find((name) => name.length === 36)));
      const host = (await cluster()).network.host;
      const reply = await to('18');
      expect(reply.status).toBe(200);
      await waitUntil(() => readdirSync(home).includes('next') || undefined, { what: 'the new server' });
      for (const pid of processesIn(home)) process.kill(pid, 'SIGKILL');
      const { state } = await server.ended(reply);
      const version = state === 'FINISHED' ? '18' : '17';
      const { status, network, pg_server_configuration: configuration } = await cluster();
      expect([status, network.host, configuration.version]).toEqual(['READY', host, version]);
      const rows = await waitUntil(() => query('select count(*)::int as n, max(i) as max from t'), {
        what: 'an answer',
      });
      expect(rows).toEqual([{ n: 1000, max: 1000 }]);
      expect((await query('show server_version'))[0]?.server_version).toMatch(new RegExp(`^${version}\\.`));
    });
  },
);

test.skipIf(fault !== undefined)('without the tools a newer version is refused with what to do', async () => {
  const bare = await start({ engines: await lookFor(['postgresql-18', 'postgresql-17']) });
  try {
    const made = await bare.call('POST', CLUSTERS, { body: body('17') });
    await finished(bare, made);
    const refused = await bare.call('PATCH', `${CLUSTERS}/lab`, {
      body: { pg_server_configuration: { version: '18' } },
    });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      403,
      expect.stringContaining('npm run engines -- install postgresql-tools'),
    ]);
  } finally {
    await bare.close();
  }
});
