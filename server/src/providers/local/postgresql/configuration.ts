import type { DesiredCluster } from '../../../features/managed-postgresql/port.ts';
import type { Paths } from './paths.ts';
import type { Notes } from './server.ts';
import type { Full } from './storage-watch.ts';

/** The files that a server reads. Of users' texts there is `pg_conf`, whose lines were read one by one, and the
 *  access list, whose entries are addresses. */

/** The role by which this program works on a server; a user's name has no such sign. */
export const ADMIN = 'virga_admin';
/** By which a pooler signs in to learn what passwords are checked by, and whom the function belongs to that says so. */
export const POOLER = 'virga_pooler';
export const VERIFIERS = 'virga_verifiers';
/** How names of roles begin that fill a database of a newer version; the rest is chance. */
export const RESTORER = 'virga_restore_';
export const PORT = 5432;

const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`;
const lines = (settings: Readonly<Record<string, string>>) =>
  Object.entries(settings).map(([name, value]) => `${name} = ${quoted(value)}\n`);

/** By which a replica is known to its primary, and by which that keeps what the replica has yet to get. */
export const REPLICA = 'virga_replica';

const MIB = 2 ** 20;

/** What a server is among those of its cluster. */
export type Role =
  /** Whether commits wait until the replica has them, too. */
  | { readonly isPrimary: true; readonly isSynchronous: boolean; readonly restore: Notes['restore'] }
  | { readonly isPrimary: false; readonly primary: Paths; readonly password: string };

export interface ServerState {
  /** Bytes of the storage. */
  readonly size: number;
  /** The storage is: nothing more should be written. */
  readonly full: Full | undefined;
  readonly role: Role;
  readonly archiveCommand: string;
  /** Nobody but this program may connect. */
  readonly isClosed: boolean;
}

/** What follows counts, so that the service's own settings come last. */
export function renderConf(desired: DesiredCluster, paths: Paths, state: ServerState): string {
  const { full, role } = state;
  const mib = Math.floor(state.size / MIB);
  const share = `${Math.max(64, Math.min(1024, Math.floor(mib / 4)))}MB`;
  const own = {
    data_directory: paths.data,
    hba_file: paths.hba,
    port: String(PORT),
    unix_socket_directories: paths.sockets,
    unix_socket_permissions: '0700',
    ssl: 'on',
    ssl_cert_file: paths.certificate,
    ssl_key_file: paths.key,
    ssl_min_protocol_version: 'TLSv1.2',
    password_encryption: 'scram-sha-256',
    cluster_name: paths.title,
    logging_collector: 'off',
    log_destination: 'stderr',
    shared_preload_libraries: '',
    wal_level: 'replica',
    // A quarter of the storage at most, and not a segment more than is needed to start with.
    max_wal_size: share,
    default_transaction_read_only: full ? 'on' : 'off',
    // What a query puts aside on the disk, and does not count as storage.
    temp_file_limit: `${Math.floor(full ? mib / 100 : mib / 4)}MB`,
    // To begin with backups needs no restart.
    archive_mode: 'on',
    archive_command: desired.backups ? state.archiveCommand : 'true',
    archive_timeout: desired.backups ? '5min' : '0',
    // A replica that does not come for it is made anew.
    max_slot_wal_keep_size: share,
    ...roleSettings(desired, role),
    ...(state.isClosed && { listen_addresses: '' }),
  };
  return [
    '# Written by Virga; what is changed here is lost.\n',
    ...lines({ ...desired.flavorSettings, ...frugal(desired), min_wal_size: '32MB' }),
    `${desired.pg_conf}\n`,
    ...lines(own),
  ].join('');
}

/** Servers read their own files, as before version 18, instead of having processes for it that take 8 MiB; and none
 *  waits for subscriptions, which users cannot make. A cluster's own settings may say otherwise. */
function frugal({ version }: DesiredCluster): Readonly<Record<string, string>> {
  return { ...(Number(version) >= 18 && { io_method: 'sync' }), max_logical_replication_workers: '0' };
}

/** Names of zones, also Z, are not known yet when the file is read. */
const postgresTime = (iso: string) => iso.replace('T', ' ').replace('Z', '+00');

function roleSettings({ host }: DesiredCluster, role: Role): Readonly<Record<string, string>> {
  // Nobody reads from a replica: so it need not have the same connections and memory as its primary.
  if (role.isPrimary)
    return {
      listen_addresses: host,
      hot_standby: 'off',
      synchronous_standby_names: role.isSynchronous ? `FIRST 1 (${REPLICA})` : '',
      // A replica that becomes the primary has all that it will ever get.
      restore_command: role.restore?.command ?? 'false',
      ...(role.restore?.until && { recovery_target_time: postgresTime(role.restore.until) }),
      recovery_target_action: 'promote',
    };
  const connection = {
    host: role.primary.sockets,
    port: String(PORT),
    user: ADMIN,
    password: role.password,
    application_name: REPLICA,
  };
  return {
    listen_addresses: '',
    hot_standby: 'off',
    primary_conninfo: Object.entries(connection)
      .map(([name, value]) => `${name}='${value.replace(/['\\]/g, '\\$&')}'`)
      .join(' '),
    primary_slot_name: REPLICA,
    wal_retrieve_retry_interval: '100ms',
  };
}

const networkOf = (entry: string) => {
  if (entry.includes('/')) return entry;
  return `${entry}/${entry.includes(':') ? 128 : 32}`;
};

/** Lines that let users in over TLS from addresses and networks. */
export const aclLines = (acl: readonly string[]) =>
  acl.map((entry) => `hostssl all all ${networkOf(entry)} scram-sha-256`);

/** Users come over TLS, from where the access list lets them; this program alone through the socket.
 *  @param isClosed they are kept out */
export function renderHba({ acl, pooler }: DesiredCluster, isClosed: boolean): string {
  const entries = isClosed ? [] : acl;
  return [
    `local all ${ADMIN} scram-sha-256`,
    `local replication ${ADMIN} scram-sha-256`,
    ...(isClosed ? [`local all /^${RESTORER}[0-9a-f]{16}$ scram-sha-256`] : []),
    // The folder of the socket is closed to all but the account of servers, which the pooler has, too.
    `local all all ${pooler && entries.length > 0 ? 'scram-sha-256' : 'reject'}`,
    `host all ${ADMIN},${POOLER},${VERIFIERS} all reject`,
    ...aclLines(entries),
    'host all all all reject',
    '',
  ].join('\n');
}
