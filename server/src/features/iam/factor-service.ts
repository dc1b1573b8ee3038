import { offsetTime } from '../../kernel/codecs.ts';
import { Conflict, Invalid, NotFound } from '../../kernel/errors.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import { hashToken } from '../../platform/auth/caller.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { consume, giveBack } from '../../platform/limits/limits.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { noteOfChange } from './change-mail.ts';
import * as store from './factor-store.ts';
import type { NewPasskeyCredential } from './passkey-schema.ts';
import { checkCredential, creationOptions } from './passkeys.ts';
import { newSharedSecret, otpAuthUri, stepOf } from './totp.ts';
import { readEmail } from './user-store.ts';

/** What people prove who they are with beside their password: codes of an authenticator app, passkeys, and recovery codes for
 *  when that is lost. One that was added counts once it was used. */

const MAX_FACTORS = 10;
const RECOVERY_CODES = 10;
const SECRET_BYTES = 20;
/** 112 bits: nobody guesses one, and a hash without salt is enough (OWASP ASVS 4, 2.6.2). */
const CODE_BYTES = 14;
/** Wrong codes, with the right password. */
const WRONG_CODES = { points: 20, seconds: 3600 };
const WRONG_CODE = 'is not the code of now, or was used already';
const CODE_NEEDED =
  'is needed: the code that your authenticator app shows, or a recovery code; programs use an API token instead';
const PASSKEY_NEEDED =
  'is needed: sign in with your passkey in the portal, or give a recovery code; programs use an API token instead';
const ANOTHERS = 'is known here already';

const contextOf = (id: string) => `second_factors/${id}`;

export async function listFactors(ctx: RequestContext) {
  const userId = personOf(ctx);
  const [rows, recovery_codes_left] = await Promise.all([
    store.readFactors(ctx.db, userId),
    store.countCodes(ctx.db, userId),
  ]);
  const results = rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    name: row.name,
    created_at: offsetTime(row.created_at),
    last_used_at: row.last_used_at && offsetTime(row.last_used_at),
  }));
  return { count: results.length, results, recovery_codes_left };
}

/** @throws Conflict for an API token, which is nobody */
function personOf({ caller }: RequestContext): number {
  if (caller.tokenId === 0) return caller.userId;
  throw new Conflict('An API token is its own proof, and has no second factor');
}

/** Prepares an authenticator app; it counts once a code of it was given.
 *  @throws Conflict for one too many */
export async function addAuthenticator(ctx: RequestContext, name: string) {
  const userId = personOf(ctx);
  const id = ctx.ids.uuid();
  const secret = newSharedSecret(Buffer.from(ctx.ids.secret(SECRET_BYTES), 'base64url'));
  const { keyId, box } = ctx.cipher.seal(secret, contextOf(id));
  await ctx.db.transaction(async (tx) => {
    await store.lockFactors(tx, userId);
    const { length } = await store.readFactors(tx, userId);
    if (length >= MAX_FACTORS) throw new Conflict(`A person has at most ${MAX_FACTORS} second factors`);
    const timestamp = ctx.clock.timestamp();
    await store.insertFactor(tx, { id, userId, kind: 'totp', name, timestamp, keyId, sealed: box });
  });
  const email = (await readEmail(ctx.db, userId)) ?? '';
  return { id, shared_secret: secret, uri: otpAuthUri(secret, email) };
}

/** Has an app count from now on. With the first one come recovery codes.
 *  @throws Invalid for a wrong code, NotFound, TooManyRequests */
export async function confirmAuthenticator(ctx: RequestContext, id: string, code: string) {
  const userId = personOf(ctx);
  return countingWrong(
    ctx,
    userId,
    () =>
      ctx.db.transaction(async (tx) => {
        await store.lockFactors(tx, userId);
        const row = await store.readUnconfirmed(tx, userId, id);
        if (!row) throw new NotFound(`Second factor ${id} was not found, or counts already`);
        const isFirst = (await store.readFactors(tx, userId)).length === 0;
        if (!(await useTotp(tx, ctx, row, code))) return undefined;
        await store.confirmFactor(tx, id, ctx.clock.timestamp());
        await recordAudit(tx, ctx, { action: 'add_second_factor', subject: id });
        await noteOfChange(tx, ctx, userId, `The authenticator app "${row.name}" was added to your account.`);
        return { recovery_codes: isFirst ? await makeCodes(tx, ctx, userId) : [] };
      }),
    'code',
  );
}

/** What the browser needs to make a passkey. @param host of the request */
export async function passkeyOptions(ctx: RequestContext, host: string | undefined) {
  const userId = personOf(ctx);
  const [email = '', has] = await Promise.all([
    readEmail(ctx.db, userId),
    store.readCredentialIds(ctx.db, userId),
  ]);
  return { options: await creationOptions(ctx, host, { userId, email, has }) };
}

/** Adds a passkey, which counts at once. With the first second factor come recovery codes.
 *  @throws Invalid for a credential that does not hold, Conflict for one too many */
export async function addPasskey(
  ctx: RequestContext,
  host: string | undefined,
  { name, credential }: { name: string; credential: NewPasskeyCredential },
) {
  const userId = personOf(ctx);
  const id = ctx.ids.uuid();
  return ctx.db.transaction(async (tx) => {
    await store.lockFactors(tx, userId);
    const { length } = await store.readFactors(tx, userId);
    if (length >= MAX_FACTORS) throw new Conflict(`A person has at most ${MAX_FACTORS} second factors`);
    const passkey = await checkCredential(tx, ctx, { userId, host, credential });
    const timestamp = ctx.clock.timestamp();
    if (!(await store.insertPasskey(tx, { id, userId, name, timestamp }, passkey)))
      throw new Invalid({ credential: [ANOTHERS] });
    await recordAudit(tx, ctx, { action: 'add_second_factor', subject: id });
    await noteOfChange(tx, ctx, userId, `The passkey "${name}" was added to your account.`);
    return { recovery_codes: length === 0 ? await makeCodes(tx, ctx, userId) : [] };
  });
}

/** Counts wrong codes. @param prove undefined: it was wrong
 *  @throws Invalid for one, naming the field; TooManyRequests for many */
async function countingWrong<T>(
  ctx: RequestContext,
  userId: number,
  prove: () => Promise<T | undefined>,
  field: string,
): Promise<T> {
  const limit = { key: `second factor of ${userId}`, ...WRONG_CODES };
  await consume(ctx, [limit]);
  const proved = await prove();
  if (proved === undefined) throw new Invalid({ [field]: [WRONG_CODE] });
  await giveBack(ctx.db, [limit]);
  return proved;
}

async function useTotp(tx: Tx, ctx: RequestContext, row: store.FactorRow, code: string): Promise<boolean> {
  if (row.key_id === null || row.sealed === null) return false;
  const secret = ctx.cipher.open({ keyId: row.key_id, box: row.sealed }, contextOf(row.id));
  const step = stepOf(secret, code, ctx.clock.now());
  return step !== undefined && store.useStep(tx, row.id, step, ctx.clock.timestamp());
}

async function makeCodes(tx: Tx, ctx: RequestContext, userId: number): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () =>
    newSharedSecret(Buffer.from(ctx.ids.secret(CODE_BYTES), 'base64url')).toLowerCase(),
  );
  await store.replaceCodes(tx, userId, codes.map(hashToken));
  return codes.map((code) => code.replace(/(.{4})(?=.)/g, '$1-'));
}

/** New recovery codes, in place of all of before.
 *  @throws Conflict without a second factor */
export async function renewRecoveryCodes(ctx: RequestContext) {
  const userId = personOf(ctx);
  return ctx.db.transaction(async (tx) => {
    await store.lockFactors(tx, userId);
    const { length } = await store.readFactors(tx, userId);
    if (length === 0) throw new Conflict('Recovery codes stand for a second factor; add one first');
    await recordAudit(tx, ctx, { action: 'renew_recovery_codes', subject: userId });
    await noteOfChange(tx, ctx, userId, 'New recovery codes were made for your account.');
    return { recovery_codes: await makeCodes(tx, ctx, userId) };
  });
}

/** @param isRequired whether everybody must have one
 *  @throws NotFound, Conflict for the last one where everybody must have one */
export async function removeFactor(ctx: RequestContext, id: string, isRequired: boolean): Promise<void> {
  const userId = personOf(ctx);
  await ctx.db.transaction(async (tx) => {
    await store.lockFactors(tx, userId);
    if (!(await store.deleteFactor(tx, userId, id))) throw new NotFound(`Second factor ${id} was not found`);
    const { length } = await store.readFactors(tx, userId);
    if (length === 0 && isRequired)
      throw new Conflict('Everybody here needs a second factor; add another first');
    if (length === 0) await store.replaceCodes(tx, userId, []);
    await recordAudit(tx, ctx, { action: 'remove_second_factor', subject: id });
    await noteOfChange(tx, ctx, userId, 'A second factor was removed from your account.');
  });
}

/** Removes all of somebody who has lost theirs. For operators. */
export async function removeFactorsOf(ctx: RequestContext, userId: number): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await store.lockFactors(tx, userId);
    await store.deleteFactorsOf(tx, userId);
    await recordAudit(tx, ctx, { action: 'remove_second_factors', subject: userId });
    await noteOfChange(tx, ctx, userId, 'An operator has removed all second factors of your account.');
  });
}

/** Whether somebody whose password was right has also given a second factor, where they have one. A code is used up.
 *  @param code of an app, or a recovery code; undefined: none was given
 *  @returns false for a wrong code
 *  @throws Invalid when one is needed, TooManyRequests after many wrong ones */
export async function proveSecondFactor(
  ctx: RequestContext,
  userId: number,
  code: string | undefined,
): Promise<boolean> {
  const factors = await store.readFactors(ctx.db, userId);
  if (factors.length === 0) return true;
  if (code === undefined || code === '') {
    const hasApp = factors.some(({ kind }) => kind === 'totp');
    throw new Invalid({ one_time_password: [hasApp ? CODE_NEEDED : PASSKEY_NEEDED] });
  }
  const prove = () =>
    ctx.db.transaction(async (tx) => {
      const digits = code.replace(/\s/g, '');
      for (const row of factors) if (await useTotp(tx, ctx, row, digits)) return true;
      return (await store.useCode(tx, userId, hashToken(recoveryCode(code)))) || undefined;
    });
  return countingWrong(ctx, userId, prove, 'one_time_password').catch((error: unknown) => {
    if (error instanceof Invalid) return false;
    throw error;
  });
}

export const wrongCode = () => new Invalid({ one_time_password: [WRONG_CODE] });

const recoveryCode = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Encrypts all shared secrets anew. @returns how many */
export async function resealFactors(tx: Tx, cipher: Cipher): Promise<number> {
  const rows = await store.lockSealed(tx);
  for (const { id, key_id: keyId, sealed: box } of rows) {
    const anew = cipher.seal(cipher.open({ keyId, box }, contextOf(id)), contextOf(id));
    await store.setSealed(tx, id, anew.keyId, anew.box);
  }
  return rows.length;
}
