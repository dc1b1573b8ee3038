import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { RESTORER } from './configuration.ts';
import { connect } from './connection.ts';
import { ownerOf } from './owners.ts';
import type { Server } from './server.ts';

const PATIENCE_MS = 3_600_000;
const name = (text: string) => pg.escapeIdentifier(text);

/** The role that fills one database: the database is its own, and nothing else. */
export interface Restorer {
  readonly name: string;
  readonly password: string;
  /** Has the server learn what is in the tables, which are the restorer's still. */
  analyze(): Promise<void>;
  /** From now on it may do what these may. */
  join(owners: readonly string[]): Promise<void>;
}

/** @param database that is empty, and is given to it */
export async function makeRestorer(server: Server, database: string): Promise<Restorer> {
  // Nobody can have made one of that name before.
  const user = `${RESTORER}${randomBytes(8).toString('hex')}`;
  const password = randomBytes(24).toString('base64url');
  await server.asking('postgres', async (client) => {
    await client.query(`create role ${name(user)} login password ${pg.escapeLiteral(password)}`);
    await client.query(`alter database ${name(database)} owner to ${name(user)}`);
    // What is set for it counts when it is whole.
    await client.query(`alter database ${name(database)} reset all`);
    await client.query(`alter database ${name(database)} connection limit -1`);
  });
  return {
    name: user,
    password,
    analyze: async () => {
      const { sockets } = server.paths;
      const version = server.version() ?? '';
      const client = await connect({ sockets, database, user, password, version, patienceMs: PATIENCE_MS });
      try {
        await client.query('analyze');
      } finally {
        await client.end().catch(() => undefined);
      }
    },
    join: async (owners) => {
      if (owners.length === 0) return;
      await server.asking('postgres', (client) =>
        client.query(`grant ${owners.map(name).join(', ')} to ${name(user)}`),
      );
    },
  };
}

/** Gives the database to whom it belongs, with whatever else is the restorer's still, and forgets that role. */
export async function endRestorer(from: Server, to: Server, database: string, { name: user }: Restorer) {
  const owner = await ownerOf(from, database);
  await to.asking(
    database,
    async (client) => {
      await client.query(`alter database ${name(database)} owner to ${name(owner)}`);
      await client.query(`reassign owned by ${name(user)} to ${name(owner)}`);
      await client.query(`drop owned by ${name(user)}`);
      await client.query(`drop role ${name(user)}`);
    },
    PATIENCE_MS,
  );
}
