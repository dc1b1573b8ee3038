import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { readText, writeFileAtomically } from '../kernel/files.ts';
import { findLocation, SUPERUSER } from '../platform/database/embedded/index.ts';
import { copyRunning, copyStopped, type Sink } from '../providers/local/index.ts';
import { BackupError } from './manifest.ts';

/** The bundled PostgreSQL, which has everything but data of data planes. */

const run = promisify(execFile);

/** @param isServed a server runs on the data directory; else nobody can begin to while this runs */
export async function backUpControlPlane(dataDir: string, isServed: boolean, sink: Sink): Promise<void> {
  const { clusterDir, socketDir, passwordFile } = findLocation(dataDir);
  const password = readText(passwordFile)?.trim();
  if (password === undefined || readText(path.join(clusterDir, 'PG_VERSION')) === null)
    throw new BackupError(
      `There is no database in ${dataDir}: with DATABASE_URL, back it up with pg_dump (docs/operations.md, Backup)`,
    );
  const client = new pg.Client({
    host: socketDir,
    port: 5432,
    user: SUPERUSER,
    password,
    database: 'postgres',
    ssl: false,
  });
  client.on('error', () => undefined);
  const isUp = await client.connect().then(
    () => true,
    () => false,
  );
  if (!isUp && isServed) throw new BackupError('The database does not answer: try again when it does');
  try {
    if (isUp) await copyRunning(client, clusterDir, sink);
    else await copyStopped(clusterDir, sink);
  } finally {
    if (isUp) await client.end().catch(() => undefined);
  }
  await sink.text('password', password);
}

/** Makes the folder for the data, and the file of the password.
 *  @returns where the data goes */
export function locationOfControlPlane(dataDir: string, password: string): string {
  const { clusterDir, passwordFile } = findLocation(dataDir);
  writeFileAtomically(passwordFile, `${password}\n`, { durable: true });
  mkdirSync(clusterDir, { mode: 0o700 });
  return clusterDir;
}

/** Gives the data to the account of this machine. */
export async function settleControlPlane(dataDir: string): Promise<void> {
  const { clusterDir, account } = findLocation(dataDir);
  if (account) await run('chown', ['-R', '-h', `${account.uid}:${account.gid}`, clusterDir]);
}
