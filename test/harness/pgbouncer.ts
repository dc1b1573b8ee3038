import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { ownerOf } from '../../server/src/platform/database/embedded/account.ts';
import { newFolder } from './leftovers.ts';
import { outputOf, removeDataDir } from './process.ts';
import { waitUntil } from './wait.ts';

/** A PgBouncer in session mode before the PostgreSQL of this run, with the settings that it has by itself.
 *  @returns how to reach a database through it, beside the database's name and role */
export async function startPgbouncer(program: string) {
  const { host, port, user, password } = inject('testServer');
  const folder = newFolder('server');
  const file = (name: string) => path.join(folder, name);
  writeFileSync(file('users.txt'), `"${user}" "${password}"\n`);
  const settings = {
    unix_socket_dir: folder,
    listen_port: port,
    pool_mode: 'session',
    admin_users: user,
    auth_type: 'scram-sha-256',
    auth_file: file('users.txt'),
    // A database that is connected cannot be dropped.
    server_lifetime: 0,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const databases = `[databases]\n* = host=${host} port=${port}\n`;
  writeFileSync(file('pgbouncer.ini'), `${databases}[pgbouncer]\n${lines.join('\n')}\n`);
  // It does not run as root, and only PostgreSQL's own account gets at its socket.
  const account = ownerOf(host);
  if (account) chownSync(folder, account.uid, account.gid);
  const child = spawn(program, [file('pgbouncer.ini')], {
    ...(account && { uid: account.uid, gid: account.gid }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = outputOf(child);
  const reached = { host: folder, port };
  const admin = new pg.Client({ ...reached, user, password, database: 'pgbouncer' });
  await waitUntil(() => /process up/.test(output()), { what: () => `PgBouncer: ${output()}` });
  await admin.connect();
  return {
    ...reached,
    /** Connections of PostgreSQL that each database has through it. */
    async connections(): Promise<readonly { readonly database: string; readonly sv_active: number }[]> {
      return (await admin.query('show pools')).rows;
    },
    async close(): Promise<void> {
      await admin.end();
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      removeDataDir(folder);
    },
  };
}
