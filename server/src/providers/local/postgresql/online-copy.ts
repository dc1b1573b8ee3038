import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import type { Sink } from '../host/sink.ts';
import { NOT_COPIED } from './copy-data.ts';

/** A copy of a server that runs, with what it has written meanwhile: it is whole with its first start. */

/** What belongs to the process that runs. */
const OF_PROCESS = ['./postmaster.pid', './postmaster.opts', '*/pgsql_tmp*'];

/** Copies a server that runs, and goes on serving.
 *  @param client a session of its superuser; it has to be ended afterwards, since that frees what is kept for the copy
 *  @param data its folder */
export async function copyRunning(client: pg.Client, data: string, sink: Sink): Promise<void> {
  // Keeps the log of changes from now on. It goes with the session.
  await client.query('select pg_catalog.pg_create_physical_replication_slot($1, true, true)', [
    `virga_backup_${process.pid}`,
  ]);
  await client.query(`select pg_catalog.pg_backup_start('virga backup', true)`);
  await sink.files('files.tar', data, { leftOut: NOT_COPIED });
  const { rows } = await client.query<{ label: string; last: string }>(
    'select labelfile as label, pg_catalog.pg_walfile_name(lsn) as last from pg_catalog.pg_backup_stop(false)',
  );
  const { label = '', last = '' } = rows[0] ?? {};
  const first = /^START WAL LOCATION: \S+ \(file (\w+)\)/m.exec(label)?.[1] ?? '';
  const log = readdirSync(join(data, 'pg_wal')).filter((name) => isBetween(name, first, last));
  if (!log.includes(first) || !log.includes(last))
    throw new Error('PostgreSQL has removed changes that were made during the copy: try again');
  // Comes last: it says up to where the files are complete.
  const names = ['./global/pg_control', ...log.map((name) => `./pg_wal/${name}`)];
  await sink.files('log.tar', data, { names });
  await sink.text('backup_label', label);
}

/** Copies the data of a server that does not run. */
export async function copyStopped(data: string, sink: Sink): Promise<void> {
  await sink.files('files.tar', data, { leftOut: OF_PROCESS });
}

/** The first eight signs name the history, which a copy does not leave. */
const isBetween = (name: string, first: string, last: string) =>
  /^[0-9A-F]{24}$/.test(name) && name >= first && name <= last;
