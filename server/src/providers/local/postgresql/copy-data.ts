import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { giveToEngine, writeFileAtomically } from '../load-balancers/files.ts';
import { run } from '../load-balancers/programs.ts';
import { makeOwn } from './place.ts';
import type { Server } from './server.ts';

/** Copies of the data of a server that runs. */

/** What belongs to the process that runs, or is made anew by a start. */
const LEFT_OUT = [
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
code=$({ { tar -C "$from" "$@" -cf - . 2>/dev/null; echo $? >&3; } | tar -C "$to" -xf - >&2; } 3>&1)
[ "$code" -le 1 ] && cp -p "$from/global/pg_control" "$to/global/pg_control"`;
const HOUR_MS = 3_600_000;

/** Where a copy begins and ends in the log of changes. */
export interface CopyOf {
  readonly from: string;
  readonly until: string;
}

/** Copies what a server has into a folder, which is complete once the log of changes is replayed over it. The server
 *  goes on serving.
 *  @param folder what is there goes
 *  @throws when the server ends meanwhile */
export async function copyData(
  server: Server,
  folder: string,
  binaries: string,
  signal: AbortSignal,
): Promise<CopyOf> {
  rmSync(folder, { recursive: true, force: true });
  makeOwn(folder);
  const copied = await server.asking(
    'postgres',
    (client) => copyWith(client, server, folder, signal),
    HOUR_MS,
  );
  const { exitCode, output } = await run(join(binaries, 'bin', 'initdb'), ['--sync-only', '-D', folder], {
    patienceMs: HOUR_MS,
  });
  if (exitCode !== 0) throw new Error(`the copy could not be written: ${output}`);
  return copied;
}

async function copyWith(
  client: pg.Client,
  { place }: Server,
  folder: string,
  signal: AbortSignal,
): Promise<CopyOf> {
  signal.throwIfAborted();
  const { rows: began } = await client.query<{ from: string }>(
    `select pg_backup_start('virga', true)::text as "from"`,
  );
  const words = ['-c', SCRIPT, 'sh', place.data, folder, ...LEFT_OUT.map((name) => `--exclude=${name}`)];
  const { exitCode, output } = await run('/bin/sh', words, { patienceMs: HOUR_MS, signal });
  if (exitCode !== 0) throw new Error(`the data could not be copied: ${output.slice(0, 500)}`);
  const { rows } = await client.query<{ until: string; label: string; spaces: string }>(
    `select lsn::text as until, labelfile as label, spcmapfile as spaces from pg_backup_stop(false)`,
  );
  const [ended] = rows;
  if (!ended || !began[0]) throw new Error('the server did not say where the copy ends');
  giveFile(join(folder, 'backup_label'), ended.label);
  return { from: began[0].from, until: ended.until };
}

/** A file of the servers' account. */
export function giveFile(path: string, text: string): void {
  writeFileAtomically(path, text);
  giveToEngine(path);
}
