import pg from 'pg';
import type { ClusterChange, DesiredCluster } from '../../../features/managed-postgresql/port.ts';
import { TaskFailed } from '../../../kernel/errors.ts';
import type { Notes, Server } from './server.ts';

/** Brings users and databases of a server to what is desired. What its users have made themselves stays. */

const name = (text: string) => pg.escapeIdentifier(text);
const literal = (text: string) => pg.escapeLiteral(text);

type User = DesiredCluster['users'][number];

function attributesOf({ role_attributes: has }: User): string {
  const flags = ['BYPASSRLS', 'CREATEDB', 'CREATEROLE'] as const;
  const words = flags.map((flag) => (has.includes(flag) ? flag : `NO${flag}`));
  return [...words, 'INHERIT', has.includes('NOLOGIN') ? 'NOLOGIN' : 'LOGIN'].join(' ');
}

export async function applyRoles(
  server: Server,
  desired: DesiredCluster,
  change: ClusterChange,
): Promise<void> {
  const notes = server.notes;
  if (!notes) throw new Error(`nothing is noted of cluster ${desired.id}`);
  await server.asking('postgres', (client) =>
    orRefused(async () => {
      for (const database of change.retracted.databases)
        await client.query(`drop database if exists ${name(database)} with (force)`);
      for (const user of change.retracted.users) await client.query(`drop role if exists ${name(user)}`);
      await applyUsers(client, desired, notes);
      await applyDatabases(client, desired);
    }),
  );
  server.note({ ...notes, verifiers: desired.verifiers });
}

/** Classes of errors that may pass: connection, serialization, resources, operator, system, fault of the server. */
const PASSING = /^(08|40|53|57P|58|XX)|^55006$/;

/** What a server refuses, it refuses again: a statement, or what a transaction of a user has locked.
 *  @throws TaskFailed with what the server says */
async function orRefused(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || PASSING.test(error.code ?? '08')) throw error;
    throw new TaskFailed(`Users and databases could not be changed: ${error.message}`);
  }
}

async function applyUsers(client: pg.Client, desired: DesiredCluster, notes: Notes): Promise<void> {
  const { rows } = await client.query<{ rolname: string }>('select rolname from pg_catalog.pg_roles');
  const known = new Set(rows.map(({ rolname }) => rolname));
  for (const user of desired.users) {
    const isNew = !known.has(user.name);
    if (isNew) await client.query(`create role ${name(user.name)}`);
    await client.query(`alter role ${name(user.name)} ${attributesOf(user)}`);
    const verifier = desired.verifiers[user.name];
    if (verifier === undefined || (!isNew && notes.verifiers?.[user.name] === verifier)) continue;
    await client.query(`alter role ${name(user.name)} password ${literal(verifier)}`);
  }
}

async function applyDatabases(client: pg.Client, { databases }: DesiredCluster): Promise<void> {
  const { rows } = await client.query<{ datname: string; owner: string }>(
    'select datname, pg_catalog.pg_get_userbyid(datdba) as owner from pg_catalog.pg_database',
  );
  const owners = new Map(rows.map(({ datname, owner }) => [datname, owner]));
  for (const { name: database, owner } of databases) {
    const now = owners.get(database);
    if (now === undefined) await client.query(`create database ${name(database)} owner ${name(owner)}`);
    else if (now !== owner) await client.query(`alter database ${name(database)} owner to ${name(owner)}`);
  }
}
