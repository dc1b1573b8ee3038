import { offsetTime } from '../../kernel/codecs.ts';
import { Conflict, Forbidden, Invalid, NotFound } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import { hashToken } from '../../platform/auth/caller.ts';
import { type Tx, together } from '../../platform/database/db.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { consume, giveBack, tryCount } from '../../platform/limits/limits.ts';
import { sourceOf } from '../../platform/limits/source.ts';
import { canonicalAddress } from './addresses.ts';
import { attempt } from './attempts.ts';
import { noteOfChange } from './change-mail.ts';
import { proveSecondFactor, wrongCode } from './factor-service.ts';
import { readFactors } from './factor-store.ts';
import { mailLink } from './link-mail.ts';
import { findLinkOwner, LINK_EXPIRED, useLink } from './link-store.ts';
import { neighbours } from './paging.ts';
import type { PasskeyAssertion } from './passkey-schema.ts';
import { checkAssertion } from './passkeys.ts';
import { checkPassword } from './password-rules.ts';
import { hashPassword, NO_PASSWORD, type Standing, verifyPassword, WRONG_PASSWORD } from './passwords.ts';
import { withCookie } from './session-cookie.ts';
import { refuseOf, type Sessions, type TokenPair } from './sessions.ts';
import { remember } from './source-store.ts';
import { endTokensOf } from './token-store.ts';
import type { ChangePassword, PageQuery } from './user-schema.ts';
import { changePassword } from './user-service.ts';
import * as store from './user-store.ts';

const HAS_SECOND_FACTOR = 'The person has a second factor; sign in with the password and that';
const NO_ACCOUNT = 'No active account found with the given credentials.';
const RESET_HOURS = 1;
const MAX_USER_AGENT = 500;
/** Mails with a link for a new password. */
const MAIL_TO_AN_ADDRESS = { points: 1, seconds: 5 * 60 };
const MAILS_FROM_A_SOURCE = { points: 30, seconds: 15 * 60 };
/** Tries of links that do not hold. */
const LINKS_FROM_A_SOURCE = { points: 30, seconds: 15 * 60 };

export interface Credentials {
  readonly username: string;
  readonly password: string;
  readonly one_time_password?: string;
}

/** Signing in, staying signed in, and getting a lost password back. */
export class SignIn {
  readonly #sessions: Sessions;

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  /** Signs in to the client that the person was in last, or else joined first.
   *  @throws Invalid, with the same words and after the same time, whatever is wrong; TooManyRequests */
  async login(ctx: RequestContext, input: Credentials, userAgent: string): Promise<TokenPair> {
    const pair = await this.#sessions.open(ctx, await this.#identify(ctx, input, userAgent), userAgent);
    if (!pair) throw new Invalid({ errors: [NO_ACCOUNT] });
    return pair;
  }

  /** Signs in a browser, likewise.
   *  @returns the value of the session's cookie
   *  @throws Invalid, TooManyRequests */
  async loginBrowser(ctx: RequestContext, input: Credentials, userAgent: string): Promise<string> {
    const who = await this.#identify(ctx, input, userAgent);
    const cookie = await this.#sessions.openCookie(ctx, who, userAgent);
    if (!cookie) throw new Invalid({ errors: [NO_ACCOUNT] });
    return cookie;
  }

  /** Signs in a browser with a link that was printed; it works once.
   *  @returns the value of the session's cookie
   *  @throws Invalid when the token is unknown or has expired, Conflict for who has a second factor, TooManyRequests
   *  for many guesses */
  async loginByLink(ctx: RequestContext, token: string, userAgent: string): Promise<string> {
    const source = sourceOf(ctx.remoteAddress);
    const guess = { key: `links from ${source}`, ...LINKS_FROM_A_SOURCE };
    await consume(ctx, [guess]);
    return ctx.db.transaction(async (tx) => {
      const link = await useLink(tx, 'sign_in', hashToken(token), ctx.clock.now());
      const member = link && (await store.findMembership(tx, link.userId));
      if (!member) throw unknownLink();
      if ((await readFactors(tx, member.id)).length > 0) throw new Conflict(HAS_SECOND_FACTOR);
      await giveBack(tx, [guess]);
      return this.#enter(tx, ctx, member, userAgent);
    });
  }

  /** Signs in a browser with a passkey.
   *  @returns the value of the session's cookie
   *  @throws Invalid for one that does not hold, TooManyRequests for many */
  async loginByPasskey(
    ctx: RequestContext,
    host: string | undefined,
    passkey: PasskeyAssertion,
    userAgent: string,
  ): Promise<string> {
    const guess = { key: `passkeys from ${sourceOf(ctx.remoteAddress)}`, ...LINKS_FROM_A_SOURCE };
    await consume(ctx, [guess]);
    return ctx.db.transaction(async (tx) => {
      const userId = await checkAssertion(tx, ctx, { host, passkey });
      const member = await store.findMembership(tx, userId);
      if (!member) throw new Invalid({ errors: [NO_ACCOUNT] });
      await giveBack(tx, [guess]);
      return this.#enter(tx, ctx, member, userAgent);
    });
  }

  /** Opens a browser's session of a person who has proved who they are with what a transaction uses up. */
  async #enter(tx: Tx, ctx: RequestContext, member: store.MemberRow, userAgent: string): Promise<string> {
    refuseOf(member);
    const who = { userId: member.id, clientId: member.client_id };
    const timestamp = ctx.clock.timestamp();
    const noted = await store.insertSignIn(tx, {
      ...who,
      at: timestamp,
      ip: ctx.remoteAddress,
      userAgent: userAgent.slice(0, MAX_USER_AGENT),
    });
    await store.markSignedIn(tx, noted);
    await remember(tx, { userId: member.id, source: sourceOf(ctx.remoteAddress), timestamp });
    return this.#sessions.openCookieIn(tx, ctx, who, userAgent);
  }

  /** Whose password it is. */
  async #identify(ctx: RequestContext, input: Credentials, userAgent: string) {
    const address = canonicalAddress(input.username);
    if (!address || input.password === '') throw new Invalid({ errors: [NO_ACCOUNT] });
    const [member] = await store.findMembershipsByEmail(ctx.db, address);
    let isCodeWrong = false;
    const matches = await attempt(ctx, address, async (standing) => {
      const noted = await this.#prove(ctx, member, { password: input.password, standing, userAgent });
      if (!member || noted === undefined) return undefined;
      isCodeWrong = !(await proveSecondFactor(ctx, member.id, input.one_time_password));
      if (isCodeWrong) return undefined;
      await ctx.db.transaction((tx) => store.markSignedIn(tx, noted));
      return member.id;
    });
    if (isCodeWrong) throw wrongCode();
    if (!matches || !member?.password_hash) throw new Invalid({ errors: [NO_ACCOUNT] });
    refuseOf(member);
    return { userId: member.id, clientId: member.client_id, proof: member.password_hash };
  }

  /** Without a user as much work is done as with one, and the attempt is written meanwhile: the time tells nothing.
   *  @returns the attempt, when the password is right */
  async #prove(
    ctx: RequestContext,
    member: store.MemberRow | undefined,
    given: { password: string; standing: Standing; userAgent: string },
  ): Promise<number | undefined> {
    const [matches, noted] = await Promise.all([
      verifyPassword(given.password, member?.password_hash ?? NO_PASSWORD, given.standing),
      member && this.#noteAttempt(ctx, member, given.userAgent),
    ]);
    return member?.password_hash && matches ? noted : undefined;
  }

  /** Who tries to sign in as a user of the account. Unknown addresses belong to no account. */
  #noteAttempt(ctx: RequestContext, member: store.MemberRow, userAgent: string): Promise<number> {
    return ctx.db.transaction((tx) =>
      store.insertSignIn(tx, {
        clientId: member.client_id,
        userId: member.id,
        at: ctx.clock.timestamp(),
        ip: ctx.remoteAddress,
        userAgent: userAgent.slice(0, MAX_USER_AGENT),
      }),
    );
  }

  /** Goes on as the same user in another of the user's clients, with the role that the user has there. An API token
   *  stays in its own client, with at most its own role.
   *  @throws NotFound for a client that the user does not belong to, Unauthenticated */
  async loginToClient(ctx: RequestContext, clientId: number, userAgent: string) {
    const { caller } = ctx;
    if (caller.isBrowser) throw new Forbidden('The session of a browser gives no tokens');
    const within = caller.tokenId === 0 || clientId === caller.clientId;
    const member = within ? await store.readMember(ctx.db, clientId, caller.userId) : undefined;
    if (!member) throw new NotFound(`Client ${clientId} was not found`);
    refuseOf(member);
    return this.#sessions.openFrom(ctx, clientId, userAgent);
  }

  /** Mails a way to set a new password, once in a while; says the same whether the address is known or not.
   *  @throws TooManyRequests when one source asks for many */
  async forgot(ctx: RequestContext, email: string): Promise<Record<string, never>> {
    const address = canonicalAddress(email);
    if (!address) return {};
    await consume(ctx, [{ key: `forgotten from ${sourceOf(ctx.remoteAddress)}`, ...MAILS_FROM_A_SOURCE }]);
    const limited = await tryCount(ctx, [{ key: `forgotten ${address}`, ...MAIL_TO_AN_ADDRESS }]);
    const user = await store.findUserByEmail(ctx.db, address);
    if (user && limited === undefined) {
      await ctx.db.transaction((tx) =>
        mailLink(tx, ctx, {
          link: { kind: 'password', userId: user.id },
          recipient: user.email,
          mail: 'password_reset',
          subject: 'Set a new password',
          text: `Somebody, hopefully you, asked for a new password. It can be set for ${RESET_HOURS} hour:`,
          page: '/password/new',
          use: 'send it as {"token": "...", "password": "..."} to POST /virga/v1/password',
          hours: RESET_HOURS,
        }),
      );
    }
    return {};
  }

  /** Sets a password with what was mailed; all sessions of the user end.
   *  @throws Invalid when the mailed token is unknown or has expired, TooManyRequests for many guesses */
  async setPassword(
    ctx: RequestContext,
    input: { token: string; password: string; end_tokens?: boolean },
  ): Promise<void> {
    const hash = hashToken(input.token);
    const source = sourceOf(ctx.remoteAddress);
    const guess = { key: `links from ${source}`, ...LINKS_FROM_A_SOURCE };
    await consume(ctx, [guess]);
    const email = await findLinkOwner(ctx.db, 'password', hash, ctx.clock.now());
    if (email === undefined) throw unknownLink();
    const faults = new Faults();
    checkPassword(['password', input.password], faults, email);
    faults.refuse();
    const password = await hashPassword(input.password);
    await ctx.db.transaction(async (tx) => {
      const timestamp = ctx.clock.timestamp();
      const link = await useLink(tx, 'password', hash, ctx.clock.now());
      if (!link) throw unknownLink();
      const { userId } = link;
      if (input.end_tokens) await endTokensOf(tx, { userId, tokenId: 0 }, timestamp);
      // Whoever reads the person's mail may sign in from there, whatever others guess elsewhere.
      await together([
        store.setPassword(tx, userId, password),
        remember(tx, { userId, source, timestamp }),
        giveBack(tx, [guess]),
      ]);
      await noteOfChange(tx, ctx, userId, 'A new password was set, with a link that was mailed to you.');
    });
  }

  async listSignIns(ctx: RequestContext, { limit, offset }: PageQuery) {
    const { count, rows } = await store.listSignIns(ctx.db, ctx.caller.clientId, { limit, offset });
    return {
      count,
      ...neighbours('/iam/activity_log/logins', { limit, offset, count }),
      result: rows.map((row) => ({
        id: row.id,
        user: row.user_id,
        login_at: offsetTime(row.at),
        ip_address: row.ip,
        user_agent: row.user_agent,
        is_successful: row.is_successful,
        auth_type: 'password',
      })),
    };
  }

  /** Ends all sessions of the user. A person goes on in a new one: a browser by its cookie alone, an API token not
   *  at all.
   *  @throws Invalid naming what is wrong, NotFound, PermissionDenied for somebody else's */
  async changePassword(ctx: RequestContext, userId: number, input: ChangePassword, userAgent: string) {
    const proof = await changePassword(ctx, userId, input);
    const { clientId, tokenId, isBrowser } = ctx.caller;
    const none = { access: null, refresh: null };
    if (tokenId !== 0) return none;
    const who = { userId, clientId, proof };
    const opened = isBrowser
      ? await this.#sessions.openCookie(ctx, who, userAgent)
      : await this.#sessions.open(ctx, who, userAgent);
    if (!opened) throw new Invalid({ old: [WRONG_PASSWORD] });
    return typeof opened === 'string' ? withCookie(ctx, opened, none) : opened;
  }
}

const unknownLink = () => new Invalid({ token: [LINK_EXPIRED] });
