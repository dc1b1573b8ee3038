import type { RowOf } from '../../platform/database/rows.ts';
import type { AnyStorageRow } from '../object-storage/index.ts';

/** What an SFTP storage is, and what becomes of it. */

export interface SftpSettings {
  /** See passwords.ts; null: keys alone. */
  readonly password_hash: string | null;
  readonly ssh_key_ids: readonly number[];
  /** A duration in the words of whoever set it; null or empty: it does not end. */
  readonly expires: string | null;
  /** When that is over. */
  readonly expires_at: string | null;
  readonly has_custom_config_file: boolean;
  readonly is_http_disabled: boolean;
  readonly server_alias: string;
}

/** What SFTP storages keep beside what all storages do; `next` is what the task that holds one makes of its settings,
 *  null: nothing else. */
export const OWN_COLUMNS = ['settings', 'next'] as const;

export type SftpRow = AnyStorageRow &
  RowOf<'sftp_storages', typeof OWN_COLUMNS, { settings: SftpSettings; next: SftpSettings | null }>;

export const KEY_COLUMNS = ['id', 'client_id', 'name', 'public_key', 'created_at'] as const;

export type SshKeyRow = RowOf<'storage_ssh_keys', typeof KEY_COLUMNS>;

/** The name by which clients sign in. */
export const fullName = (row: Pick<SftpRow, 'client_id' | 'name'>): string => `${row.client_id}-${row.name}`;

const UNITS: Readonly<Record<string, number>> = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
};
const MONTHS: Readonly<Record<string, number>> = { month: 1, year: 12 };
const PART = /(\d{1,6})\s*(second|minute|hour|day|week|month|year)s?/g;
const DURATION = /^\s*(?:\d{1,6}\s*(?:second|minute|hour|day|week|month|year)s?(?:\s*,?\s*|\s+and\s+|$))+$/;
const LAST_YEAR = 9999;

/** @param text such as "2 years 6 months"
 *  @returns when that is over, or undefined for what is no duration, or one that leads out of the calendar */
export function endOf(text: string, from: Date): Date | undefined {
  if (!DURATION.test(text)) return undefined;
  const end = new Date(from);
  for (const [, count = '', unit = ''] of text.matchAll(PART)) {
    const months = MONTHS[unit];
    if (months === undefined) end.setTime(end.getTime() + Number(count) * (UNITS[unit] ?? 0) * 1000);
    else end.setUTCMonth(end.getUTCMonth() + Number(count) * months);
  }
  const isThere = !Number.isNaN(end.getTime()) && end.getUTCFullYear() <= LAST_YEAR;
  return isThere && end > from ? end : undefined;
}

const HOST = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/i;

export const aliasFault = (alias: string): string | undefined =>
  alias === '' || HOST.test(alias)
    ? undefined
    : 'must be the name of a host, such as files.example.com, or empty';
