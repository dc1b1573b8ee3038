import type { InvalidFields } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import type { Queryable } from '../../platform/database/db.ts';
import { readKeys } from './key-store.ts';
import { aliasFault, endOf, type SftpSettings } from './model.ts';
import { hashOf, newPassword } from './passwords.ts';
import type { UpdateSftpStorage } from './schema.ts';

/** What somebody sends, as settings of a storage. */

export const PLAIN: SftpSettings = {
  password_hash: null,
  ssh_key_ids: [],
  expires: null,
  expires_at: null,
  has_custom_config_file: false,
  is_http_disabled: false,
  server_alias: '',
};

/** The names that the field has, by the version of the client. */
const PASSWORDS = ['password', 'sftp_password'] as const;

/** What is wrong with them beyond their shapes: every faulty field. The shapes may be anything, too. */
export function settingsFaults(input: unknown, now: Date): InvalidFields {
  if (typeof input !== 'object' || input === null) return {};
  const { password_mode: mode, expires, server_alias: alias, ...rest } = input as Record<string, unknown>;
  const given = PASSWORDS.filter((field) => rest[field] !== undefined);
  const faults = new Faults();
  if (mode === 'set' && given.length === 0) faults.add('password', 'is required when password_mode is set');
  if (mode !== 'set')
    for (const field of given) faults.add(field, 'must be left out unless password_mode is set');
  if (given.length === 2 && rest.password !== rest.sftp_password)
    faults.add('sftp_password', 'must be the same as password');
  if (typeof expires === 'string' && expires !== '' && !endOf(expires, now))
    faults.add('expires', 'must be a duration such as 2 years 6 months, or empty');
  const wrong = typeof alias === 'string' ? aliasFault(alias) : undefined;
  if (wrong) faults.add('server_alias', wrong);
  return faults.toError().fields;
}

/** @returns what is wrong with the keys of a request */
export async function keyFaults(
  db: Queryable,
  clientId: number,
  ids: readonly number[],
): Promise<InvalidFields> {
  const known = new Set((await readKeys(db, clientId, ids)).map(({ id }) => id));
  return Object.fromEntries(
    ids.flatMap((id, i) => (known.has(id) ? [] : [[`ssh_key_ids.${i}`, [`key ${id} was not found`]]])),
  );
}

/** A password that is new, and how it is kept; `absent`: it goes. */
export type NewPassword = { readonly password: string; readonly hash: string } | 'absent' | undefined;

export async function passwordOf({
  password_mode: mode,
  sftp_password: other = '',
  password: given = other,
}: UpdateSftpStorage): Promise<NewPassword> {
  if (mode === undefined) return undefined;
  if (mode === 'none') return 'absent';
  const password = mode === 'auto' ? newPassword() : given;
  return { password, hash: await hashOf(password) };
}

/** What is not given stays. */
export function changed(
  before: SftpSettings,
  input: UpdateSftpStorage,
  password: NewPassword,
  now: Date,
): SftpSettings {
  const { ssh_key_ids: keys, expires, server_alias: alias } = input;
  return {
    password_hash:
      password === undefined ? before.password_hash : password === 'absent' ? null : password.hash,
    ssh_key_ids: keys ? [...new Set(keys)] : before.ssh_key_ids,
    ...endingOf(before, expires, now),
    has_custom_config_file: input.has_custom_config_file ?? before.has_custom_config_file,
    is_http_disabled: input.is_http_disabled ?? before.is_http_disabled,
    server_alias: alias === undefined ? before.server_alias : (alias ?? ''),
  };
}

/** The same words again begin the time anew. */
function endingOf(before: SftpSettings, expires: string | null | undefined, now: Date) {
  if (expires === undefined) return { expires: before.expires, expires_at: before.expires_at };
  return { expires, expires_at: endOf(expires ?? '', now)?.toISOString() ?? null };
}
