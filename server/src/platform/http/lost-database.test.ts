import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { createTestDatabase } from '../../../../test/harness/database.ts';
import { proxyTo } from '../../../../test/harness/tcp-proxy.ts';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { systemClock } from '../../kernel/clock.ts';
import { randomIds } from '../../kernel/ids.ts';
import { createLog } from '../../kernel/log.ts';
import { Authenticator } from '../auth/caller.ts';
import { Db, type DbOptions } from '../database/db.ts';
import { Outage } from '../database/outage.ts';
import { sql } from '../database/sql.ts';
import { Cipher, KEY_BYTES } from '../secrets/cipher.ts';
import { plainPath } from './paths.ts';
import { buildApi } from './server.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** An API on a database, and the lines of its log. */
async function apiOn(connection: DbOptions['connection'], maxConnections = 3) {
  const lines: { level: number; msg: string }[] = [];
  const outage = new Outage();
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  // As the program has it: what an outage explains is quiet, the outage itself is not.
  const log = createLog('info', { quiet: (logged) => outage.explains(logged), destination });
  // What the pool alone would notice takes longer than a test may.
  const patient = { connectionTimeoutMillis: 3_600_000, ...connection };
  const db = new Db({ connection: patient, log, outage, livenessMs: 50, maxConnections });
  const clock = systemClock();
  const at = (path: string) => plainPath('Things', path);
  const things = at('/cloud/v1/things');
  const spec = { summary: 'Things', handler: async () => ({}) };
  const writes = (path: string, write: (db: Db) => Promise<unknown>) =>
    at(path).post({
      ...spec,
      access: { public: 'writes' },
      handler: async (ctx) => {
        await write(ctx.db);
        return {};
      },
    });
  const api = await buildApi({
    db,
    clock,
    ids: randomIds(),
    cipher: new Cipher([randomBytes(KEY_BYTES)]),
    log,
    authenticator: new Authenticator({ db, now: () => clock.now().getTime() }),
    scopes: {
      project: async () => undefined,
      region: async () => undefined,
      regions: async () => [],
      offers: async () => false,
      client: async () => false,
      requireRoom: async () => [],
    },
    routes: [
      things.get({ ...spec, access: 'read' }),
      things.post({ ...spec, access: 'write' }),
      writes('/written', (db) => db.rows(sql`create table written ()`)),
      writes('/added', (db) => db.transaction((tx) => tx.rows(sql`insert into added values (1)`))),
      at('/there').get({ ...spec, access: { public: 'needs no database' } }),
    ],
    rateLimit: 0,
  });
  closing.push(() => db.close());
  closing.push(() => api.close());
  let requested = 0;
  // What is known of a token is believed for a moment.
  const ask = (method: 'GET' | 'POST', url = '/cloud/v1/things') =>
    api.inject({ method, url, headers: { authorization: `APIKey token-${requested++}` } });
  return { db, ask, said: (text: string) => lines.filter(({ msg }) => msg.includes(text)), lines };
}

/** Where nobody listens. */
async function closedPort(): Promise<number> {
  const listener = createServer();
  const port = await portOf(listener);
  listener.close();
  await once(listener, 'close');
  return port;
}

test.each(['127.0.0.1', 'nowhere.invalid'])(
  'without the database calls are answered 503 at once, and the log says it once: %s',
  async (host) => {
    const port = await closedPort();
    const { ask, said, lines } = await apiOn({ host, port, user: 'nobody', database: 'none' });
    const [read, write] = [await ask('GET'), await ask('POST')];
    expect([read.statusCode, read.headers['retry-after']]).toEqual([503, '2']);
    expect(read.json().message).toBe('The database cannot be reached; try again in 2 s');
    expect([write.statusCode, write.json().message]).toEqual([
      503,
      expect.stringContaining('Idempotency-Key'),
    ]);
    expect(said('the database is lost')).toHaveLength(1);
    expect(lines.filter(({ level }) => level >= 50)).toHaveLength(1);
  },
);

/** A way to a new database that can be frozen. */
async function databaseBehindProxy() {
  const database = await createTestDatabase();
  closing.push(() => database.drop());
  const proxy = await proxyTo(database.connection);
  closing.push(async () => proxy.close());
  return { proxy, connection: { ...database.connection, host: '127.0.0.1', port: proxy.port } };
}

test('a database that is frozen is given up, and found again', async () => {
  const { proxy, connection } = await databaseBehindProxy();
  const { ask, said } = await apiOn(connection);
  expect((await ask('GET')).statusCode, 'the database knows no such token').toBe(401);
  proxy.freeze();
  const waiting = [ask('GET'), ask('POST')];
  for (const reply of await Promise.all(waiting)) expect(reply.statusCode).toBe(503);
  expect((await ask('GET')).statusCode, 'nobody waits for what is known to be frozen').toBe(503);
  expect((await ask('GET', '/there')).statusCode).toBe(200);
  proxy.thaw();
  await waitUntil(async () => (await ask('GET')).statusCode === 401, { what: 'the database to answer' });
  expect([said('the database is lost').length, said('the database answers again').length]).toEqual([1, 1]);
});

test('what was answered 503 is not done once the database answers again', async () => {
  const { proxy, connection } = await databaseBehindProxy();
  // Over one connection all that is asked is done in its order.
  const { ask, db } = await apiOn(connection, 1);
  await db.run(sql`create table added (by int)`);
  proxy.freeze();
  // The first has its connection and has begun, the others wait for it.
  const waiting = [1, 2, 3].map(() => ask('POST', '/added'));
  for (const reply of await Promise.all(waiting)) expect(reply.statusCode).toBe(503);
  proxy.thaw();
  await waitUntil(async () => (await ask('POST', '/added')).statusCode === 200, { what: 'it to be written' });
  expect(await db.rows(sql`select count(*) as rows from added`)).toEqual([{ rows: 1 }]);
});

test('a replica that was not promoted yet is no database to write to: 503, and again as usual afterwards', async () => {
  const database = await createTestDatabase();
  closing.push(() => database.drop());
  const readOnly = async (value: 'on' | 'off') => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('set default_transaction_read_only = off');
    const { rows } = await client.query('select current_database() as name');
    const { name } = rows[0];
    await client.query(`alter database "${name}" set default_transaction_read_only = ${value}`);
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
      [name],
    );
    await client.end();
  };
  await readOnly('on');
  const { ask } = await apiOn({ connectionString: database.url });
  const refused = await ask('POST', '/written');
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '2']);
  await readOnly('off');
  await waitUntil(async () => (await ask('POST', '/written')).statusCode === 200, {
    what: 'it to be written',
  });
});
