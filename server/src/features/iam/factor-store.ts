import type { Queryable, Tx } from '../../platform/database/db.ts';
import { forgetOld } from '../../platform/database/forget-old.ts';
import { insertionOf } from '../../platform/database/new-rows.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';

/** Second factors of people, and their recovery codes. */

const FACTOR_COLUMNS = [
  'id',
  'user_id',
  'kind',
  'name',
  'created_at',
  'confirmed_at',
  'last_used_at',
  'key_id',
  'sealed',
  'last_step',
] as const;
const COLUMNS = listOf(FACTOR_COLUMNS);

export type FactorRow = RowOf<'second_factors', typeof FACTOR_COLUMNS, { kind: 'totp' | 'passkey' }>;

/** SQL of whether a user has one that counts.
 *  @param userId SQL of the user's id */
export const hasSecondFactor = (userId: string) =>
  `exists (select from second_factors f where f.user_id = ${userId} and f.confirmed_at is not null)`;

/** Those that count, the oldest first. */
export async function readFactors(db: Queryable, userId: number): Promise<FactorRow[]> {
  return db.named<FactorRow>(
    'factor_list',
    `select ${COLUMNS} from second_factors where user_id = $1 and confirmed_at is not null
      order by created_at, id`,
    [userId],
  );
}

/** Keeps others from changing what the user proves who they are with until the transaction ends. */
export async function lockFactors(tx: Tx, userId: number): Promise<void> {
  await tx.named('factor_lock', 'select 1 from users where id = $1 for no key update', [userId]);
}

/** One that does not count yet. */
export async function readUnconfirmed(tx: Tx, userId: number, id: string): Promise<FactorRow | undefined> {
  return tx.namedRow<FactorRow>(
    'factor_unconfirmed',
    `select ${COLUMNS} from second_factors where user_id = $1 and id = $2 and confirmed_at is null`,
    [userId, id],
  );
}

export interface NewFactor {
  readonly id: string;
  readonly userId: number;
  readonly kind: 'totp' | 'passkey';
  readonly name: string;
  readonly timestamp: string;
  readonly keyId: string | null;
  readonly sealed: Buffer | null;
}

/** In place of others of the user that do not count yet. */
export async function insertFactor(tx: Tx, factor: NewFactor): Promise<void> {
  await tx.named(
    'factor_forget_unconfirmed',
    'delete from second_factors where user_id = $1 and confirmed_at is null',
    [factor.userId],
  );
  const columns = {
    id: factor.id,
    user_id: factor.userId,
    kind: factor.kind,
    name: factor.name,
    created_at: factor.timestamp,
    key_id: factor.keyId,
    sealed: factor.sealed,
  };
  await tx.named('factor_insert', ...insertionOf('second_factors', columns));
}

/** From now on it counts. */
export async function confirmFactor(tx: Tx, id: string, timestamp: string): Promise<void> {
  await tx.named('factor_confirm', 'update second_factors set confirmed_at = $2 where id = $1', [
    id,
    timestamp,
  ]);
}

/** Uses up a code of a shared secret, and those before it.
 *  @param step its number
 *  @returns false when it, or a later one, was used before */
export async function useStep(tx: Tx, id: string, step: number, timestamp: string): Promise<boolean> {
  return tx.namedAny(
    'factor_use_step',
    `update second_factors set last_step = $2, last_used_at = $3
      where id = $1 and (last_step is null or last_step < $2) returning 1`,
    [id, step, timestamp],
  );
}

/** @returns false when there is no such factor that counts */
export async function deleteFactor(tx: Tx, userId: number, id: string): Promise<boolean> {
  return tx.namedAny(
    'factor_delete',
    'delete from second_factors where user_id = $1 and id = $2 and confirmed_at is not null returning 1',
    [userId, id],
  );
}

/** Removes all that the user has, with the recovery codes. @returns how many counted */
export async function deleteFactorsOf(tx: Tx, userId: number): Promise<number> {
  const rows = await tx.named<{ confirmed_at: Date | null }>(
    'factor_delete_all',
    'delete from second_factors where user_id = $1 returning confirmed_at',
    [userId],
  );
  await replaceCodes(tx, userId, []);
  return rows.filter(({ confirmed_at }) => confirmed_at !== null).length;
}

export async function replaceCodes(tx: Tx, userId: number, hashes: readonly Buffer[]): Promise<void> {
  await tx.named('recovery_forget', 'delete from recovery_codes where user_id = $1', [userId]);
  await tx.named(
    'recovery_insert',
    'insert into recovery_codes (user_id, hash) select $1, unnest($2::bytea[])',
    [userId, hashes],
  );
}

/** @returns false when it is none, or was used */
export async function useCode(tx: Tx, userId: number, hash: Buffer): Promise<boolean> {
  return tx.namedAny(
    'recovery_use',
    'delete from recovery_codes where user_id = $1 and hash = $2 returning 1',
    [userId, hash],
  );
}

export async function countCodes(db: Queryable, userId: number): Promise<number> {
  return db.namedNumber(
    'recovery_count',
    'select count(*)::int as count from recovery_codes where user_id = $1',
    [userId],
  );
}

/** Every shared secret, to be encrypted anew. */
export async function lockSealed(tx: Tx): Promise<{ id: string; key_id: string; sealed: Buffer }[]> {
  return tx.named(
    'factor_sealed',
    'select id, key_id, sealed from second_factors where sealed is not null order by id for update',
    [],
  );
}

export async function setSealed(tx: Tx, id: string, keyId: string, sealed: Buffer): Promise<void> {
  await tx.named('factor_reseal', 'update second_factors set key_id = $2, sealed = $3 where id = $1', [
    id,
    keyId,
    sealed,
  ]);
}

export interface Passkey {
  readonly credentialId: Buffer;
  /** COSE (RFC 9052). */
  readonly publicKey: Buffer;
  readonly signCount: number;
  /** The host name that it was made for. */
  readonly rpId: string;
}

/** Adds one that counts at once.
 *  @returns false when somebody has it already */
export async function insertPasskey(
  tx: Tx,
  factor: { id: string; userId: number; name: string; timestamp: string },
  passkey: Passkey,
): Promise<boolean> {
  return tx.namedAny(
    'passkey_insert',
    `insert into second_factors (id, user_id, kind, name, created_at, confirmed_at, credential_id, public_key,
         sign_count, rp_id)
     values ($1, $2, 'passkey', $3, $4, $4, $5, $6, $7, $8) on conflict (credential_id) do nothing returning 1`,
    [
      factor.id,
      factor.userId,
      factor.name,
      factor.timestamp,
      passkey.credentialId,
      passkey.publicKey,
      passkey.signCount,
      passkey.rpId,
    ],
  );
}

export interface PasskeyRow {
  readonly id: string;
  readonly user_id: number;
  readonly public_key: Buffer;
  readonly sign_count: number;
  readonly rp_id: string;
}

/** Of a user who is there; locked until the transaction ends. */
export async function lockPasskey(tx: Tx, credentialId: Buffer): Promise<PasskeyRow | undefined> {
  return tx.namedRow<PasskeyRow>(
    'passkey_lock',
    `select f.id, f.user_id, f.public_key, f.sign_count, f.rp_id from second_factors f
       join users u on u.id = f.user_id and u.deleted_at is null
      where f.credential_id = $1 and f.public_key is not null and f.sign_count is not null and f.rp_id is not null
        for update of f`,
    [credentialId],
  );
}

export async function notePasskeyUse(
  tx: Tx,
  id: string,
  signCount: number,
  timestamp: string,
): Promise<void> {
  await tx.named(
    'passkey_used',
    'update second_factors set sign_count = $2, last_used_at = $3 where id = $1',
    [id, signCount, timestamp],
  );
}

/** Ids of a user's passkeys, as their authenticators call them. */
export async function readCredentialIds(db: Queryable, userId: number): Promise<Buffer[]> {
  const rows = await db.named<{ credential_id: Buffer }>(
    'passkey_ids',
    'select credential_id from second_factors where user_id = $1 and credential_id is not null',
    [userId],
  );
  return rows.map(({ credential_id }) => credential_id);
}

/** @returns false when it was used before */
export async function useChallenge(tx: Tx, challenge: { id: string; expiresAt: Date }): Promise<boolean> {
  return tx.namedAny(
    'passkey_challenge_use',
    'insert into used_passkey_challenges (id, expires_at) values ($1, $2) on conflict do nothing returning 1',
    [challenge.id, challenge.expiresAt.toISOString()],
  );
}

export async function forgetOldChallenges(db: Queryable, now: Date): Promise<void> {
  await forgetOld(db, { table: 'used_passkey_challenges', by: 'expires_at', before: now.toISOString() });
}
