import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { Forbidden, NotFound, suspendedFor, Unauthenticated } from '../../kernel/errors.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import {
  type BearerResolver,
  type Caller,
  expiredAt,
  hashToken,
  INVALID_TOKEN,
} from '../../platform/auth/caller.ts';
import { lesserRole, type Role } from '../../platform/auth/roles.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { byKey, SharedLookUp } from '../../platform/database/shared-look-up.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { clientRole, projectRoles } from './assignable-roles.ts';
import * as store from './session-store.ts';
import { ACCESS_SECONDS, SessionTokens } from './session-tokens.ts';
import { endTokensOf } from './token-store.ts';

/** Sessions of people. A session is a row: whatever was derived from it counts while the row is there, its user is
 *  a member of its client, and the API token that opened it, if one did, is good. */

/** A session ends when it was not refreshed for a day, and 30 days after the person signed in. */
const IDLE_MS = 24 * 3_600_000;
const LONGEST_MS = 30 * IDLE_MS;
/** A person, and an API token, may have this many sessions; the longest unused gives way. */
const MAX_SESSIONS = 100;
const MAX_USER_AGENT = 500;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A person whose password was checked. */
interface Proved {
  readonly userId: number;
  readonly clientId: number;
  /** The hash that was matched. */
  readonly proof: string;
}

interface NewSession {
  readonly userId: number;
  readonly clientId: number;
  readonly tokenId: number | null;
  readonly from?: store.SessionRow | undefined;
  readonly cookieHash?: Buffer | null;
}

export interface TokenPair {
  readonly access: string;
  readonly refresh: string;
}

interface SessionsOptions {
  readonly db: Db;
  readonly cipher: Cipher;
  readonly clock: Clock;
  /** Whether people without a second factor must add one before anything else. */
  readonly requireSecondFactor?: boolean;
}

export class Sessions {
  readonly #tokens: SessionTokens;
  readonly #standing: SharedLookUp<string, store.StandingSession>;

  readonly #needsSecondFactor: boolean;

  constructor({ db, cipher, clock, requireSecondFactor = false }: SessionsOptions) {
    this.#needsSecondFactor = requireSecondFactor;
    this.#tokens = new SessionTokens(cipher, clock);
    this.#standing = new SharedLookUp(async (ids) =>
      byKey(await store.readStandingSessions(db, ids, clock.now()), 'id'),
    );
  }

  /** Resolves `Authorization: Bearer …`. */
  readonly bearer: BearerResolver = async (token) => {
    const claims = await this.#tokens.read('access', token);
    const ended = claims ? undefined : await this.#tokens.endOf('access', token);
    if (ended) throw new Unauthenticated(expiredAt(ended));
    const session = claims && (await this.#standing.get(claims.sessionId));
    return session && { ...this.#callerOf(session), endsAt: claims.expiresAt };
  };

  /** Resolves the cookie of a browser. */
  readonly cookie: BearerResolver = async (value) => {
    const [id = '', secret = ''] = value.split('.', 2);
    if (!UUID.test(id)) return undefined;
    const session = await this.#standing.get(id);
    if (!session?.cookie_hash || !timingSafeEqual(session.cookie_hash, hashToken(secret))) return undefined;
    return this.#callerOf(session);
  };

  /** Opens a session of a browser for a person who has proved who they are.
   *  @returns the value of its cookie; nothing when the password is another one by now */
  async openCookie(ctx: RequestContext, who: Proved, userAgent: string): Promise<string | undefined> {
    const secret = ctx.ids.secret();
    const row = await this.#open(ctx, who, userAgent, hashToken(secret));
    return row && `${row.id}.${secret}`;
  }

  /** Opens a session for a person who has proved who they are.
   *  @param proof the password hash that was matched
   *  @returns nothing when the password is another one by now */
  async open(ctx: RequestContext, who: Proved, userAgent: string): Promise<TokenPair | undefined> {
    const row = await this.#open(ctx, who, userAgent, null);
    return row && this.#pair(ctx, row);
  }

  /** The same for a person who has proved it otherwise, in a transaction that uses up the proof.
   *  @returns the value of the cookie */
  async openCookieIn(
    tx: Tx,
    ctx: RequestContext,
    who: { readonly userId: number; readonly clientId: number },
    userAgent: string,
  ): Promise<string> {
    const secret = ctx.ids.secret();
    const session = { ...who, tokenId: null, cookieHash: hashToken(secret) };
    const { id } = await this.#insert(tx, ctx, session, userAgent);
    return `${id}.${secret}`;
  }

  #callerOf(session: store.StandingSession): Caller {
    const mustEnrol = this.#needsSecondFactor && session.token_id === null && !session.has_second_factor;
    return { ...callerOf(session), mustEnrol };
  }

  #open(ctx: RequestContext, who: Proved, userAgent: string, cookieHash: Buffer | null) {
    return ctx.db.transaction(async (tx) => {
      if (!(await store.passwordStands(tx, who.userId, who.proof))) return undefined;
      return this.#insert(tx, ctx, { ...who, tokenId: null, cookieHash }, userAgent);
    });
  }

  /** Goes on in another client: from a session in one that ends with it, from an API token in one that ends with
   *  that. It has no refresh token, and ends no later than the access token that asked for it: whoever has copied
   *  that gets no more time out of it.
   *  @throws Unauthenticated when the caller's own session has ended */
  async openFrom(
    ctx: RequestContext,
    clientId: number,
    userAgent: string,
  ): Promise<{ access: string; refresh: null }> {
    const { caller } = ctx;
    const { sessionId, userId } = caller;
    const tokenId = caller.tokenId === 0 ? null : caller.tokenId;
    const from = sessionId === undefined ? undefined : await this.#standing.get(sessionId);
    const row = await ctx.db.transaction(async (tx) => {
      if (sessionId !== undefined && !(from && (await store.lockSession(tx, sessionId)))) {
        throw new Unauthenticated(INVALID_TOKEN);
      }
      return this.#insert(tx, ctx, { userId, clientId, tokenId, from }, userAgent);
    });
    const { access } = await this.#pair(ctx, row);
    return { access, refresh: null };
  }

  /** A new pair for a refresh token, once. One that comes again was copied: the session ends, and all of its family.
   *  @throws Unauthenticated when the session has ended, Forbidden when its client is suspended */
  async refresh(ctx: RequestContext, token: string): Promise<TokenPair> {
    const claims = await this.#tokens.read('refresh', token);
    const session = claims && (await this.#standing.get(claims.sessionId));
    if (!session || session.token_id !== null || session.cookie_hash !== null) {
      throw new Unauthenticated(INVALID_TOKEN);
    }
    refuseOf(session);
    const usedAt = ctx.clock.now();
    const expiresAt = expiryOf(session.created_at, usedAt);
    const renewed = await ctx.db.transaction(async (tx) => {
      const { generation } = claims;
      if (await store.raiseGeneration(tx, { id: session.id, generation }, { usedAt, expiresAt })) return true;
      await store.deleteFamily(tx, session.family_id);
      const caller = this.#callerOf(session);
      await recordAudit(tx, { ...ctx, caller }, { action: 'reused_refresh_token', subject: session.id });
      return false;
    });
    if (!renewed) throw new Unauthenticated(INVALID_TOKEN);
    return this.#pair(ctx, {
      id: session.id,
      userId: session.user_id,
      clientId: session.client_id,
      generation: claims.generation + 1,
      expiresAt,
    });
  }

  /** Ends a session of the caller, and those that were opened from one another with it.
   *  @throws NotFound */
  async end(ctx: RequestContext, id: string): Promise<void> {
    await ctx.db.transaction(async (tx) => {
      const family = await store.readFamily(tx, ctx.caller, id);
      if (family === undefined) throw new NotFound(`Session ${id} was not found`);
      await store.deleteFamily(tx, family);
      await recordAudit(tx, ctx, { action: 'sign_out', subject: id });
    });
  }

  /** Notes that the caller has given the password again.
   *  @throws Unauthenticated when the session has ended */
  async confirm(ctx: RequestContext, id: string): Promise<void> {
    await ctx.db.transaction(async (tx) => {
      if (!(await store.noteConfirmed(tx, id, ctx.clock.now()))) throw new Unauthenticated(INVALID_TOKEN);
      await recordAudit(tx, ctx, { action: 'confirm_sign_in', subject: id });
    });
  }

  /** Ends every session of the person, also those that API tokens opened; for an API token those that it opened.
   *  @param options whether the API tokens that the caller has made end too */
  async endAll(ctx: RequestContext, { tokens = false } = {}): Promise<void> {
    await ctx.db.transaction(async (tx) => {
      if (tokens) await endTokensOf(tx, ctx.caller, ctx.clock.timestamp());
      await store.deleteSessionsOfCaller(tx, ctx.caller);
      await recordAudit(tx, ctx, { action: 'sign_out_everywhere', subject: ctx.caller.userId });
    });
  }

  async #insert(tx: Tx, ctx: RequestContext, who: NewSession, userAgent: string) {
    const { userId, clientId, tokenId, from } = who;
    const usedAt = ctx.clock.now();
    const createdAt = from?.created_at ?? usedAt;
    const id = ctx.ids.uuid();
    const isLasting = tokenId === null && from === undefined;
    const expiresAt = isLasting ? expiryOf(createdAt, usedAt) : shortly(usedAt, ctx.caller.endsAt);
    await store.insertSession(tx, {
      id,
      familyId: from?.family_id ?? id,
      userId,
      clientId,
      tokenId,
      cookieHash: who.cookieHash ?? null,
      ip: ctx.remoteAddress,
      userAgent: userAgent.slice(0, MAX_USER_AGENT),
      createdAt,
      usedAt,
      expiresAt,
      confirmedAt: from?.confirmed_at ?? null,
    });
    await store.deleteSessionsBeyond(tx, { userId, tokenId }, MAX_SESSIONS);
    if (tokenId === null) await store.noteLastClient(tx, userId, clientId);
    return { id, userId, clientId, generation: 0, expiresAt };
  }

  async #pair(
    ctx: RequestContext,
    session: { id: string; userId: number; clientId: number; generation: number; expiresAt: Date },
  ): Promise<TokenPair> {
    const claims = { ...session, sessionId: session.id };
    const soon = shortly(ctx.clock.now(), session.expiresAt);
    const [access, refresh] = await Promise.all([
      this.#tokens.sign('access', { ...claims, expiresAt: soon }),
      this.#tokens.sign('refresh', claims),
    ]);
    return { access, refresh };
  }
}

/** For calls that begin or go on with a session.
 *  @throws Forbidden when the client is suspended */
export function refuseOf({ suspend_reason: reason }: { readonly suspend_reason: string | null }): void {
  if (reason !== null) throw new Forbidden(suspendedFor(reason));
}

function expiryOf(createdAt: Date, usedAt: Date): Date {
  return new Date(Math.min(usedAt.getTime() + IDLE_MS, createdAt.getTime() + LONGEST_MS));
}

/** When what was opened just now ends at the latest. */
function shortly(now: Date, latest?: Date): Date {
  const soon = new Date(now.getTime() + ACCESS_SECONDS * 1000);
  return latest && latest < soon ? latest : soon;
}

/** With the roles that the user has now, and no more than that of the API token that opened the session. */
function callerOf(session: store.StandingSession): Caller {
  const { token_id, token_role, assignments, created_at, confirmed_at } = session;
  const capped = (role: Role) => (token_role === null ? role : lesserRole(role, token_role));
  const inProjects = [...projectRoles(assignments ?? [])].map(([id, role]) => [id, capped(role)] as const);
  return {
    tokenId: token_id ?? 0,
    clientId: session.client_id,
    userId: session.user_id,
    role: capped(clientRole(session.role, assignments ?? [])),
    sessionId: session.id,
    isBrowser: session.cookie_hash !== null,
    provedAt: confirmed_at ?? created_at,
    projectRoles: new Map(inProjects),
    suspended: session.suspend_reason ?? undefined,
  };
}
