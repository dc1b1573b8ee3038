import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { makePristine, type Pristine } from './pristine.ts';

/** How to reach the PostgreSQL of this test run; `database` is the template's name. */
export interface TestServer {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Who may make and drop databases. */
  readonly admin: { readonly user: string; readonly password: string };
  readonly template: string;
  readonly pristine: Pristine;
}

declare module 'vitest' {
  interface ProvidedContext {
    testServer: TestServer;
  }
}

export interface TestDatabase {
  /** Connection string for `pg`. */
  readonly url: string;
  readonly connection: pg.ClientConfig & pg.PoolConfig;
  /**
   * Removes the database. Close every pool and client first: what is still connected is a leak, and the
   * drop fails because of it.
   */
  drop(): Promise<void>;
}

/** Databases that tests have used, as they were before; the last one is used again first. */
const idle: { readonly name: string; readonly since: string }[] = [];

/** A database with the project's schema and no rows: one that was used before, or a copy of the template. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = inject('testServer');
  const free = idle.pop();
  if (!free) return createCopy(server.template, giveBack);
  const name = newName();
  await asAdmin(server, 'postgres', (admin) => admin.query(`alter database ${free.name} rename to ${name}`));
  return reached(server, name, () => giveBack(server, name, free.since));
}

/** A new database without any schema.
 *  @param options of its creation, as SQL */
export async function createEmptyDatabase(options = ''): Promise<TestDatabase> {
  return createCopy(`template0 ${options}`, remove);
}

/** A pool on a new database; both end with the test. */
export async function poolOn(created: Promise<TestDatabase>): Promise<pg.Pool> {
  const database = await created;
  const pool = new pg.Pool(database.connection);
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  return pool;
}

async function createCopy(
  template: string,
  drop: (server: TestServer, name: string, since: string) => Promise<void>,
): Promise<TestDatabase> {
  const server = inject('testServer');
  const name = newName();
  const since = await asAdmin(server, 'postgres', async (admin) => {
    const { rows } = await admin.query<{ now: string }>('select pg_current_xact_id()::text as now');
    await admin.query(`create database ${name} template ${template} owner ${server.user} strategy file_copy`);
    return rows[0]?.now ?? '0';
  });
  return reached(server, name, () => drop(server, name, since));
}

const newName = () => `test_${randomBytes(8).toString('hex')}`;

const reached = (server: TestServer, name: string, drop: () => Promise<void>): TestDatabase => {
  const { host, port, user, password } = server;
  return {
    url: `postgresql://${user}:${password}@/${name}?host=${encodeURIComponent(host)}`,
    connection: { host, port, user, password, database: name },
    drop,
  };
};

/** Nobody finds it by its name any more, and it is used again if it can be made as it was.
 *  PostgreSQL itself waits some seconds for sessions that are just ending. */
async function giveBack(server: TestServer, name: string, since: string): Promise<void> {
  const away = name.replace('test_', 'idle_');
  await asAdmin(server, 'postgres', (admin) => admin.query(`alter database ${name} rename to ${away}`));
  const now = await asAdmin(server, away, (admin) => makePristine(admin, server.pristine, since));
  if (now !== undefined) idle.push({ name: away, since: now });
  else await remove(server, away);
}

const remove = (server: TestServer, name: string): Promise<void> =>
  asAdmin(server, 'postgres', async (admin) => {
    await admin.query(`drop database if exists ${name}`);
  });

async function asAdmin<T>(
  { host, port, admin }: TestServer,
  database: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ host, port, ...admin, database });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
