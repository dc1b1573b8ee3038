import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

/** How to reach the PostgreSQL of this test run; `database` is the template's name. */
export interface TestServer {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Who may make and drop databases. */
  readonly admin: { readonly user: string; readonly password: string };
  readonly template: string;
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

/** A new database with the project's schema and no rows: a copy of the template, some 30 ms. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return createCopy(inject('testServer').template);
}

/** A new database without any schema. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return createCopy('template0');
}

async function createCopy(template: string): Promise<TestDatabase> {
  const server = inject('testServer');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runOnce(
    server,
    `create database ${name} template ${template} owner ${server.user} strategy file_copy`,
  );
  const { host, port, user, password } = server;
  return {
    url: `postgresql://${user}:${password}@/${name}?host=${encodeURIComponent(host)}`,
    connection: { host, port, user, password, database: name },
    // PostgreSQL itself waits some seconds for sessions that are just ending.
    drop: () => runOnce(server, `drop database if exists ${name}`),
  };
}

async function runOnce(server: TestServer, statement: string): Promise<void> {
  const { host, port, admin } = server;
  const client = new pg.Client({ host, port, ...admin, database: 'postgres' });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
