import { firstFaults, moreFaults } from '../../kernel/named-faults.ts';
import type { ConfLine } from './port.ts';

/** The lines of a postgresql.conf that users write: their form, and what is not theirs to set. Whether a setting
 *  exists, and accepts the value, the servers of a version know. */

export interface ParsedConf {
  readonly settings: readonly ConfLine[];
  readonly faults: readonly string[];
}

const MOST_LENGTH = 64 * 1024;
/** More than there are: names that a server does not know cost it time, each more than the one before. */
const MOST_SETTINGS = 500;
const NAME = '[A-Za-z_][A-Za-z0-9_$]*(?:\\.[A-Za-z_][A-Za-z0-9_$]*)?';
const SETTING = new RegExp(
  `^\\s*(${NAME})(?:\\s*=\\s*|\\s+)(?:'((?:[^'\\\\]|''|\\\\.)*)'|([A-Za-z0-9_.:/+-]+))\\s*(?:#.*)?$`,
);
const EMPTY = /^\s*(#.*)?$/;
// Control characters have no business in a setting; a line is ended by one.
const UNPRINTABLE = /[^\P{Cc}\t]/u;

/** Beginnings of names that the service sets itself: where a server is, who may enter, what it runs and keeps. */
const RESERVED_PREFIXES = [
  'archive_',
  'data_',
  'debug_',
  'ident_',
  'include',
  'krb_',
  'log_dest',
  'log_dir',
  'log_file',
  'oauth_',
  'primary_',
  'recovery_',
  'restore_',
  'ssl',
  'synchronous_standby',
  'syslog',
  'trace_',
  'unix_',
];
const RESERVED = new Set([
  'allow_alter_system',
  'allow_in_place_tablespaces',
  'allow_system_table_mods',
  'authentication_timeout',
  'backtrace_functions',
  'bonjour',
  'bonjour_name',
  'cluster_name',
  'config_file',
  'db_user_namespace',
  'default_transaction_read_only',
  'dynamic_library_path',
  'event_source',
  'extension_control_path',
  'extension_destdir',
  'external_pid_file',
  'fsync',
  'full_page_writes',
  'gss_accept_delegation',
  'hba_file',
  'hot_standby',
  'ignore_checksum_failure',
  'ignore_invalid_pages',
  'ignore_system_indexes',
  'jit_debugging_support',
  'jit_dump_bitcode',
  'jit_profiling_support',
  'jit_provider',
  'listen_addresses',
  'local_preload_libraries',
  'logging_collector',
  'max_replication_slots',
  'max_wal_senders',
  'password_encryption',
  'port',
  'post_auth_delay',
  'pre_auth_delay',
  'promote_trigger_file',
  'remove_temp_files_after_crash',
  'reserved_connections',
  'restart_after_crash',
  'send_abort_for_crash',
  'send_abort_for_kill',
  'session_preload_libraries',
  'shared_preload_libraries',
  'stats_temp_directory',
  'superuser_reserved_connections',
  'synchronized_standby_slots',
  // It counts before a session can set its own: whoever signs in is thrown out.
  'transaction_timeout',
  'wal_consistency_checking',
  'wal_level',
  'wal_log_hints',
  'zero_damaged_pages',
]);

const isReserved = (name: string) =>
  RESERVED.has(name) || RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix));

/** Reads the lines; every fault names its line. */
export function parseConf(text: string): ParsedConf {
  if (text.length > MOST_LENGTH)
    return { settings: [], faults: [`must have at most ${MOST_LENGTH} characters`] };
  const settings: ConfLine[] = [];
  const faults: string[] = [];
  for (const [index, written] of text.split(/\r?\n/).entries()) {
    if (EMPTY.test(written)) continue;
    const line = index + 1;
    const fault = readLine(written, line, settings);
    if (fault !== undefined) faults.push(`line ${line}: ${fault}`);
  }
  if (settings.length > MOST_SETTINGS) faults.push(`must have at most ${MOST_SETTINGS} settings`);
  return { settings, faults };
}

/** The first faults as texts that can be read, and how many more there are. */
export function boundedFaults(errors: readonly string[]): string[] {
  const { fields, left } = firstFaults({ errors });
  return [...(fields.errors ?? []), ...(left > 0 ? [moreFaults(left)] : [])];
}

function readLine(written: string, line: number, settings: ConfLine[]): string | undefined {
  const [, name, quoted, plain] = SETTING.exec(written) ?? [];
  if (name === undefined || UNPRINTABLE.test(written))
    return 'must be name = value; a value with other signs goes in quotes';
  const setting = name.toLowerCase();
  if (isReserved(setting)) return `${setting} is set by the service`;
  const value =
    quoted === undefined ? (plain ?? '') : quoted.replace(/''|\\(.)/g, (pair, sign) => sign ?? pair[0]);
  settings.push({ line, name: setting, value });
  return undefined;
}
