import pg from 'pg';
import { ADMIN, PORT } from './configuration.ts';

/** How this program and its tools sign in to servers of users. A user may set nearly everything for their databases,
 *  and has what they like in them; settings of the startup packet come before all of that. */

type Settings = Readonly<Record<string, string>>;

/** What every role may set. */
const OF_ANYBODY: Settings = {
  // Names without a schema are those of PostgreSQL, and nobody else's.
  search_path: 'pg_catalog',
  role: 'none',
  // What a row policy would hide is an error: no policy is evaluated.
  row_security: 'off',
  local_preload_libraries: '',
  default_tablespace: '',
  temp_tablespaces: '',
  default_transaction_read_only: 'off',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  client_min_messages: 'warning',
  client_encoding: 'UTF8',
  standard_conforming_strings: 'on',
  bytea_output: 'hex',
  extra_float_digits: '1',
  datestyle: 'ISO',
  timezone: 'UTC',
  jit: 'off',
};
const OF_ANYBODY_SINCE_17: Settings = { transaction_timeout: '0' };

/** What only a superuser may set. Statements of ours may hold what nobody is to find in a log. */
const OF_ADMIN: Settings = {
  session_replication_role: 'origin',
  session_preload_libraries: '',
  log_statement: 'none',
  log_duration: 'off',
  log_min_duration_statement: '-1',
  log_min_duration_sample: '-1',
  log_transaction_sample_rate: '0',
  log_min_error_statement: 'panic',
};
const OF_ADMIN_SINCE_16: Settings = { scram_iterations: '4096', createrole_self_grant: '' };
const OF_ADMIN_SINCE_17: Settings = { event_triggers: 'off' };

/** A statement that waits longer for somebody else's transaction ends. */
const LOCK_MS = 10_000;

/** The settings of a session.
 *  @param version major version of the server, which refuses names that it does not know
 *  @param patienceMs how long a statement may take; 0: as long as it likes */
export function pinned(version: string, role: 'admin' | 'other', patienceMs: number): Settings {
  const major = Number(version);
  const isAdmin = role === 'admin';
  return {
    ...OF_ANYBODY,
    ...(major >= 17 && OF_ANYBODY_SINCE_17),
    ...(isAdmin && OF_ADMIN),
    ...(isAdmin && major >= 16 && OF_ADMIN_SINCE_16),
    ...(isAdmin && major >= 17 && OF_ADMIN_SINCE_17),
    statement_timeout: String(patienceMs),
    lock_timeout: String(patienceMs === 0 ? 0 : Math.min(LOCK_MS, patienceMs)),
  };
}

/** The same as one text of a startup packet, which PGOPTIONS is, too. */
export const optionsOf = (settings: Settings): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replace(/[\\\s]/g, '\\$&')}`)
    .join(' ');

export interface Target {
  /** The folder of the server's socket. */
  readonly sockets: string;
  readonly database: string;
  /** The administrator, when nothing is said. */
  readonly user?: string;
  readonly password: string;
  /** Major version of the server. */
  readonly version: string;
  /** Milliseconds that a statement may take. */
  readonly patienceMs: number;
}

/** Signs in through the socket, as the administrator or another role of ours. The only place where that is done.
 *  @returns a session, which the caller ends */
export async function connect(target: Target): Promise<pg.Client> {
  const { sockets, database, user = ADMIN, password, version, patienceMs } = target;
  const client = new pg.Client({
    host: sockets,
    port: PORT,
    user,
    password,
    database,
    // Said here, or the driver asks the variables that complete DATABASE_URL.
    ssl: false,
    options: optionsOf(pinned(version, user === ADMIN ? 'admin' : 'other', patienceMs)),
    connectionTimeoutMillis: 5_000,
    // The server ends a statement that takes too long; this is for one that does not even do that.
    query_timeout: patienceMs + 5_000,
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
