import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { Listener } from '../../server/src/platform/database/listener.ts';
import { sql } from '../../server/src/platform/database/sql.ts';
import { Leases } from '../../server/src/platform/leases.ts';
import { startPgbouncer } from '../harness/pgbouncer.ts';
import { createdBy } from '../harness/project.ts';
import { lookFor, startTestServer, type TestServer } from '../harness/server.ts';
import { waitUntil } from '../harness/wait.ts';

/** A PgBouncer between the server and its database, as docs/operations.md has it. */

const engines = await lookFor(['pgbouncer']);
const program = engines.programOf('pgbouncer');
let pgbouncer: Awaited<ReturnType<typeof startPgbouncer>>;
let server: TestServer;

beforeAll(async () => {
  if (program === undefined) return;
  pgbouncer = await startPgbouncer(program);
  server = await startTestServer({ through: pgbouncer });
});

afterAll(async () => {
  await server?.close();
  await pgbouncer?.close();
});

test.skipIf(program === undefined)(
  'PgBouncer in session mode keeps all that sessions are needed for',
  async () => {
    const web = { name: 'web' };
    const created = await createdBy(
      server,
      server.call('POST', '/cloud/v1/loadbalancers/1/2', { body: web }),
    );
    const read = await server.call('GET', `/cloud/v1/loadbalancers/1/2/${created?.loadbalancers?.[0]}`);
    expect(read.body).toMatchObject({ ...web, provisioning_status: 'ACTIVE' });

    const [session] = await server.db.rows(
      sql`select current_database() as database, current_setting('idle_in_transaction_session_timeout') as idle`,
    );
    expect(session).toMatchObject({ idle: '10s' });
    const pools = await pgbouncer.connections();
    const { database } = session as { database: string };
    expect(pools.find((pool) => pool.database === database)?.sv_active).toBeGreaterThan(0);

    const [first, second] = [new Leases(server.db), new Leases(server.db)];
    expect([await first.hold('test'), await second.hold('test')]).toEqual([true, false]);
    await first.release();
    await waitUntil(() => second.hold('test'), { what: 'the lease that was given back' });
    await second.release();

    const heard: string[] = [];
    const message = (payload: string) => void heard.push(payload);
    const listener = new Listener(server.db, 'test_channel', { message, lost: () => undefined });
    await listener.listen();
    const { host, port, user, password } = inject('testServer');
    const another = new pg.Client({ host, port, user, password, database });
    await another.connect();
    await another.query(`select pg_notify('test_channel', 'from afar')`);
    await another.end();
    await waitUntil(() => heard.includes('from afar'), { what: 'what was sent' });
    await listener.close();
  },
);
