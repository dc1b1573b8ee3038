import { offsetTime, readTime } from '../../kernel/codecs.ts';
import { Conflict, Invalid, NotFound, Unauthenticated } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import type { Ids } from '../../kernel/ids.ts';
import { DAY_RULE } from '../../kernel/rules.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import { hashToken, INVALID_TOKEN } from '../../platform/auth/caller.ts';
import { ROLE_IDS } from '../../platform/auth/roles.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import type { ClientContext } from '../../platform/http/context.ts';
import { clientRole } from './assignable-roles.ts';
import type { ApiToken, CreateApiToken, TokenListQuery } from './schema.ts';
import { readStandingSessions } from './session-store.ts';
import * as store from './token-store.ts';
import { roleNamed } from './user-service.ts';

/** A client may have this many living tokens. */
export const MAX_TOKENS = 50;

function viewToken(row: store.TokenRow, now: Date): ApiToken {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    exp_date: row.expires_at && offsetTime(row.expires_at),
    created: offsetTime(row.created_at),
    deleted: row.deleted_at !== null,
    expired: row.expires_at !== null && row.expires_at <= now,
    last_usage: row.last_used_at ? offsetTime(row.last_used_at) : '',
    client_user: {
      client_id: row.client_id,
      user_id: row.user_id,
      user_name: row.user_name ?? '',
      user_email: row.user_email,
      deleted: row.user_deleted,
      role: { id: ROLE_IDS[row.role], name: row.role },
    },
  };
}

export async function listTokens(ctx: ClientContext, query: TokenListQuery): Promise<ApiToken[]> {
  const rows = await store.listTokens(ctx.db, ctx.clientId, query);
  return rows.map((row) => viewToken(row, ctx.clock.now()));
}

/** @throws NotFound */
export async function getToken(ctx: ClientContext, id: number): Promise<ApiToken> {
  return viewToken(await findToken(ctx.db, ctx.clientId, id), ctx.clock.now());
}

async function findToken(db: Queryable, clientId: number, id: number): Promise<store.TokenRow> {
  const row = await store.readToken(db, clientId, id);
  if (!row) throw new NotFound(`Token ${id} was not found`);
  return row;
}

/** Makes a token; its value is in this answer and nowhere else. One that is made with another token ends with that.
 *  @throws Invalid for an unknown role or an expiry that is past or later than the maker's, Conflict when the client
 *  has 50 tokens, Unauthenticated when the caller's own credential has ended */
export async function createToken(ctx: ClientContext, input: CreateApiToken) {
  const faults = new Faults();
  const { role: known, expiresAt } = planToken(input, faults);
  if (expiresAt && expiresAt <= ctx.clock.now()) {
    faults.add('exp_date', 'must be in the future, or null for a token that does not expire');
  }
  const role = faults.require(known);
  const value = newTokenValue(ctx.ids);
  const row = await ctx.db.transaction(async (tx) => {
    if ((await store.countTokensLocked(tx, ctx.clientId)) >= MAX_TOKENS) {
      throw new Conflict(`A client may have ${MAX_TOKENS} tokens; delete one first`);
    }
    const madeWith = await checkMaker(tx, ctx, expiresAt);
    const id = await store.insertToken(tx, {
      clientId: ctx.clientId,
      userId: ctx.caller.userId,
      role,
      name: input.name,
      description: input.description ?? '',
      hash: hashToken(value),
      expiresAt: expiresAt?.toISOString() ?? null,
      timestamp: ctx.clock.timestamp(),
      madeWith,
      actsFor: ctx.caller.actsFor ?? false,
    });
    await recordAudit(tx, ctx, { action: 'create_token', subject: id, name: input.name });
    // Read here: a moment after the commit its maker, and so it, may have ended.
    return findToken(tx, ctx.clientId, id);
  });
  return { ...viewToken(row, ctx.clock.now()), token: value };
}

/** The role and the expiry that are asked for. Adds an unknown role and what is no time, as far as they are given; a
 *  token without a role only reads. */
export function planToken(
  { client_user: user, exp_date: text = null }: Partial<CreateApiToken>,
  faults: Faults,
) {
  const given = user?.role ?? {};
  const isNamed = given.id !== undefined || given.name !== undefined;
  const role = faults.try(() => (isNamed ? roleNamed(given, 'client_user.role') : 'Users'));
  const time = text === null ? null : readTime(text);
  if (time === undefined) faults.add('exp_date', DAY_RULE);
  return { role, expiresAt: time ?? null };
}

/** The caller's credential was good when the request came; here it still is, and stays so until the commit.
 *  @returns the token that the new one ends with, if it is a token's */
async function checkMaker(tx: Tx, ctx: ClientContext, expiresAt: Date | null): Promise<number | null> {
  const { tokenId, sessionId } = ctx.caller;
  const now = ctx.clock.now();
  if (sessionId !== undefined) {
    const [session] = await readStandingSessions(tx, [sessionId], now);
    const role = session && clientRole(session.role, session.assignments ?? []);
    if (role !== 'Administrators') throw new Unauthenticated(INVALID_TOKEN);
  }
  if (tokenId === 0) return null;
  const maker = await store.readGoodToken(tx, tokenId, now);
  if (!maker) throw new Unauthenticated(INVALID_TOKEN);
  if (maker.expires_at === null) return tokenId;
  if (expiresAt !== null && expiresAt <= maker.expires_at) return tokenId;
  const latest = offsetTime(maker.expires_at);
  throw new Invalid({ exp_date: [`must be ${latest} or earlier, when the token that makes it expires`] });
}

/** The prefix lets people and scanners see what leaked. */
export const newTokenValue = (ids: Ids): string => `virga_${ids.secret(32)}`;

/** @throws NotFound */
export async function deleteToken(ctx: ClientContext, id: number): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await store.lockTokens(tx, ctx.clientId);
    const deleted = await store.deleteToken(tx, ctx.clientId, id, ctx.clock.timestamp());
    if (!deleted) throw new NotFound(`Token ${id} was not found`);
    await recordAudit(tx, ctx, { action: 'delete_token', subject: id });
  });
}
