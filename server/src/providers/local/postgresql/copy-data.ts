import { join } from 'node:path';
import type pg from 'pg';
import { removeFolder, writeFileAtomically } from '../../../kernel/files.ts';
import { giveToEngine, makeOwnFolder } from '../host/files.ts';
import { requireRoom } from '../host/full-disk.ts';
import { run } from '../host/programs.ts';
import { usedBytes } from './measure.ts';
import type { Server } from './server.ts';
import { syncFolder } from './sync-folder.ts';

/** Copies of the data of a server that runs. */

/** What belongs to the process that runs, or is made anew by a start. */
export const NOT_COPIED = [
  './pg_wal/*',
  './pg_replslot/*',
  './pg_dynshmem/*',
  './pg_notify/*',
  './pg_serial/*',
  './pg_snapshots/*',
  './pg_stat_tmp/*',
  './pg_subtrans/*',
  './postmaster.pid',
  './postmaster.opts',
  './backup_label*',
  './tablespace_map*',
  './standby.signal',
  './recovery.signal',
  '*/pgsql_tmp*',
  '*/pg_internal.init*',
  // Of the copy's files it has to be the last.
  './global/pg_control',
];
/** A file that changes or goes while it is read is no fault: what it was is in the log. tar says so by 1. */
const SCRIPT = `from=$1; to=$2; shift 2
code=$({ { tar -C "$from" "$@" -cf - . 2>/dev/null; echo $? >&3; } | tar -C "$to" -xf - >&2; } 3>&1) &&
[ "$code" -le 1 ] && cp -p "$from/global/pg_control" "$to/global/pg_control"`;
const HOUR_MS = 3_600_000;

export interface CopyOf {
  /** The first file of the log of changes that has to be replayed. */
  readonly startFile: string;
  /** Bytes. */
  readonly size: number;
}

/** Copies what a server has into a folder, which is complete once the log of changes is replayed over it. The server
 *  goes on serving.
 *  @param folder what is there goes
 *  @throws when the server ends meanwhile, or the disk has too little room for both */
export async function copyData(
  server: Server,
  folder: string,
  binaries: string,
  signal: AbortSignal,
): Promise<CopyOf> {
  await removeFolder(folder);
  const { data, home } = server.paths;
  makeOwnFolder(folder, home);
  requireRoom(folder, (await usedBytes(data)) - (await usedBytes(join(data, 'pg_wal'))));
  const copied = await server.asking(
    'postgres',
    (client) => copyWith(client, server, folder, signal),
    HOUR_MS,
  );
  await syncFolder(folder, binaries, home);
  return copied;
}

async function copyWith(
  client: pg.Client,
  { paths }: Server,
  folder: string,
  signal: AbortSignal,
): Promise<CopyOf> {
  signal.throwIfAborted();
  await client.query(`select pg_catalog.pg_backup_start('virga', true)`);
  const words = ['-c', SCRIPT, 'sh', paths.data, folder, ...NOT_COPIED.map((name) => `--exclude=${name}`)];
  const { exitCode, output } = await run('/bin/sh', words, { home: paths.home, patienceMs: HOUR_MS, signal });
  if (exitCode !== 0) throw new Error(`the data could not be copied: ${output.slice(0, 500)}`);
  const { rows } = await client.query<{ label: string }>(
    'select labelfile as label from pg_catalog.pg_backup_stop(false)',
  );
  const label = rows[0]?.label ?? '';
  const startFile = /^START WAL LOCATION: \S+ \(file (\w+)\)/m.exec(label)?.[1];
  if (startFile === undefined) throw new Error('the server did not say where the copy begins');
  giveFile(join(folder, 'backup_label'), label, paths.home);
  return { startFile, size: await usedBytes(folder) };
}

/** A file of the account of a home's servers. */
export function giveFile(path: string, text: string, home: string): void {
  writeFileAtomically(path, text);
  giveToEngine(path, home);
}
