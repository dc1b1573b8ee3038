import type { Queryable, Tx } from '../../platform/database/db.ts';
import { forgetOld } from '../../platform/database/forget-old.ts';
import { insertionOf } from '../../platform/database/new-rows.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import { type Sql, sql } from '../../platform/database/sql.ts';

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
export const hasSecondFactor = (userId: Sql): Sql =>
  sql`exists (select from second_factors f where f.user_id = ${userId} and f.confirmed_at is not null)`;

/** Those that count, the oldest first. */
export async function readFactors(db: Queryable, userId: number): Promise<FactorRow[]> {
  return db.rows<FactorRow>(sql`select ${COLUMNS} from second_factors where user_id = ${userId} and confirmed_at is not null
      order by created_at, id`);
}

/** Keeps others from changing what the user proves who they are with until the transaction ends. */
export async function lockFactors(tx: Tx, userId: number): Promise<void> {
  await tx.run(sql`select 1 from users where id = ${userId} for no key update`);
}

/** One that does not count yet. */
export async function readUnconfirmed(tx: Tx, userId: number, id: string): Promise<FactorRow | undefined> {
  return tx.row<FactorRow>(
    sql`select ${COLUMNS} from second_factors where user_id = ${userId} and id = ${id} and confirmed_at is null`,
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
  await tx.run(sql`delete from second_factors where user_id = ${factor.userId} and confirmed_at is null`);
  const columns = {
    id: factor.id,
    user_id: factor.userId,
    kind: factor.kind,
    name: factor.name,
    created_at: factor.timestamp,
    key_id: factor.keyId,
    sealed: factor.sealed,
  };
  await tx.run(insertionOf('second_factors', columns));
}

/** From now on it counts. */
export async function confirmFactor(tx: Tx, id: string, timestamp: string): Promise<void> {
  await tx.run(sql`update second_factors set confirmed_at = ${timestamp} where id = ${id}`);
}

/** Uses up a code of a shared secret, and those before it.
 *  @param step its number
 *  @returns false when it, or a later one, was used before */
export async function useStep(tx: Tx, id: string, step: number, timestamp: string): Promise<boolean> {
  return tx.any(sql`update second_factors set last_step = ${step}, last_used_at = ${timestamp}
      where id = ${id} and (last_step is null or last_step < ${step}) returning 1`);
}

/** @returns false when there is no such factor that counts */
export async function deleteFactor(tx: Tx, userId: number, id: string): Promise<boolean> {
  return tx.any(
    sql`delete from second_factors where user_id = ${userId} and id = ${id} and confirmed_at is not null returning 1`,
  );
}

/** Removes all that the user has, with the recovery codes. @returns how many counted */
export async function deleteFactorsOf(tx: Tx, userId: number): Promise<number> {
  const rows = await tx.rows<{ confirmed_at: Date | null }>(
    sql`delete from second_factors where user_id = ${userId} returning confirmed_at`,
  );
  await replaceCodes(tx, userId, []);
  return rows.filter(({ confirmed_at }) => confirmed_at !== null).length;
}

export async function replaceCodes(tx: Tx, userId: number, hashes: readonly Buffer[]): Promise<void> {
  await tx.run(sql`delete from recovery_codes where user_id = ${userId}`);
  await tx.run(sql`insert into recovery_codes (user_id, hash) select ${userId}, unnest(${hashes}::bytea[])`);
}

/** @returns false when it is none, or was used */
export async function useCode(tx: Tx, userId: number, hash: Buffer): Promise<boolean> {
  return tx.any(sql`delete from recovery_codes where user_id = ${userId} and hash = ${hash} returning 1`);
}

export async function countCodes(db: Queryable, userId: number): Promise<number> {
  return db.number(sql`select count(*)::int as count from recovery_codes where user_id = ${userId}`);
}

/** Every shared secret, to be encrypted anew. */
export async function lockSealed(tx: Tx): Promise<{ id: string; key_id: string; sealed: Buffer }[]> {
  return tx.rows(
    sql`select id, key_id, sealed from second_factors where key_id is not null and sealed is not null order by id for update`,
  );
}

export async function setSealed(tx: Tx, id: string, keyId: string, sealed: Buffer): Promise<void> {
  await tx.run(sql`update second_factors set key_id = ${keyId}, sealed = ${sealed} where id = ${id}`);
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
  return tx.any(sql`insert into second_factors (id, user_id, kind, name, created_at, confirmed_at, credential_id, public_key,
         sign_count, rp_id)
     values (${factor.id}, ${factor.userId}, 'passkey', ${factor.name}, ${factor.timestamp}, ${factor.timestamp}, ${passkey.credentialId}, ${passkey.publicKey}, ${passkey.signCount}, ${passkey.rpId}) on conflict (credential_id) do nothing returning 1`);
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
  return tx.row<PasskeyRow>(sql`select f.id, f.user_id, f.public_key, f.sign_count, f.rp_id from second_factors f
       join users u on u.id = f.user_id and u.deleted_at is null
      where f.credential_id = ${credentialId} and f.public_key is not null and f.sign_count is not null and f.rp_id is not null
        for update of f`);
}

export async function notePasskeyUse(
  tx: Tx,
  id: string,
  signCount: number,
  timestamp: string,
): Promise<void> {
  await tx.run(
    sql`update second_factors set sign_count = ${signCount}, last_used_at = ${timestamp} where id = ${id}`,
  );
}

/** Ids of a user's passkeys, as their authenticators call them. */
export async function readCredentialIds(db: Queryable, userId: number): Promise<Buffer[]> {
  const rows = await db.rows<{ credential_id: Buffer }>(
    sql`select credential_id from second_factors where user_id = ${userId} and credential_id is not null`,
  );
  return rows.map(({ credential_id }) => credential_id);
}

/** @returns false when it was used before */
export async function useChallenge(tx: Tx, challenge: { id: string; expiresAt: Date }): Promise<boolean> {
  return tx.any(
    sql`insert into used_passkey_challenges (id, expires_at) values (${challenge.id}, ${challenge.expiresAt.toISOString()}) on conflict do nothing returning 1`,
  );
}

export async function forgetOldChallenges(db: Queryable, now: Date): Promise<void> {
  await forgetOld(db, { table: 'used_passkey_challenges', by: 'expires_at', before: now.toISOString() });
}
