import { offsetTime } from '../../kernel/codecs.ts';
import { Invalid, NotFound, Unauthenticated } from '../../kernel/errors.ts';
import { hashToken } from '../../platform/auth/caller.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { neighbours } from './paging.ts';
import { mailPasswordLink } from './password-mail.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import { lesserRole, readToken, roleOfSession, type Session, signToken } from './sessions.ts';
import { Throttle } from './throttle.ts';
import type { ChangePassword, PageQuery } from './user-schema.ts';
import { changePassword } from './user-service.ts';
import * as store from './user-store.ts';

const NO_ACCOUNT = 'No active account found with the given credentials.';
const FAILURES_A_MINUTE = 10;
const RESET_HOURS = 1;
const MAX_USER_AGENT = 500;

/** Signing in, staying signed in, and getting a lost password back. */
export class SignIn {
  readonly #cipher: Cipher;
  readonly #throttle = new Throttle(FAILURES_A_MINUTE);
  #nobody: Promise<string> | undefined;

  constructor(cipher: Cipher) {
    this.#cipher = cipher;
  }

  /** @throws Invalid, with the same words and after the same time, whatever is wrong; TooManyRequests */
  async login(ctx: RequestContext, input: { username: string; password: string }, userAgent: string) {
    const now = ctx.clock.now().getTime();
    const key = `${ctx.remoteAddress} ${input.username.toLowerCase()}`;
    this.#throttle.check(key, now);
    const [member] = await store.findMembershipsByEmail(ctx.db, input.username);
    // Without a user as much work is done as with one, and the attempt is written meanwhile: the time tells
    // nothing.
    this.#nobody ??= hashPassword(ctx.ids.secret());
    const [matches, attempt] = await Promise.all([
      verifyPassword(input.password, member?.password_hash ?? (await this.#nobody)),
      member && this.#noteAttempt(ctx, member, userAgent),
    ]);
    if (!member?.password_hash || attempt === undefined || !matches) {
      this.#throttle.failed(key, now);
      throw new Invalid({ errors: [NO_ACCOUNT] });
    }
    this.#throttle.succeeded(key);
    await ctx.db.transaction((tx) => store.markSignedIn(tx, attempt));
    return this.#pair(ctx, {
      userId: member.id,
      clientId: member.client_id,
      version: member.session_version,
      ceiling: member.role,
    });
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

  /** @throws Unauthenticated when the session has ended */
  async refresh(ctx: RequestContext, token: string) {
    const session = readToken({ cipher: this.#cipher, clock: ctx.clock }, token, 'refresh');
    if (!session || !(await roleOfSession(ctx.db, session))) {
      throw new Unauthenticated('Token is invalid or expired');
    }
    return this.#pair(ctx, session);
  }

  /** Goes on as the same user in another of the user's clients, with at most the role of now.
   *  @throws NotFound for a client that the user does not belong to */
  async loginToClient(ctx: RequestContext, clientId: number) {
    const { caller } = ctx;
    const member = await store.readMember(ctx.db, clientId, caller.userId);
    if (!member || caller.role === 'operator') throw new NotFound(`Client ${clientId} was not found`);
    const session: Session = {
      userId: member.id,
      clientId,
      version: member.session_version,
      ceiling: lesserRole(caller.role, member.role),
    };
    const { access, refresh } = this.#pair(ctx, session);
    return { access, refresh: caller.tokenId === 0 ? refresh : null };
  }

  /** Mails a way to set a new password; says the same whether the address is known or not. */
  async forgot(ctx: RequestContext, email: string): Promise<Record<string, never>> {
    const user = await store.findUserByEmail(ctx.db, email);
    if (user) {
      await ctx.db.transaction((tx) =>
        mailPasswordLink(tx, ctx, user, {
          kind: 'password_reset',
          subject: 'Set a new password',
          text: `Somebody, hopefully you, asked for a new password. It can be set for ${RESET_HOURS} hour:`,
          hours: RESET_HOURS,
        }),
      );
    }
    return {};
  }

  /** Sets a password with what was mailed; all sessions of the user end.
   *  @throws Invalid when the mailed token is unknown, used or too old */
  async setPassword(ctx: RequestContext, input: { token: string; password: string }): Promise<void> {
    const hash = await hashPassword(input.password);
    await ctx.db.transaction(async (tx) => {
      const userId = await store.takePasswordLink(tx, hashToken(input.token), ctx.clock.timestamp());
      if (userId === undefined) throw new Invalid({ token: ['is unknown, used or too old'] });
      await store.setPassword(tx, userId, hash);
    });
  }

  async listSignIns(ctx: RequestContext, { limit = 1000, offset = 0 }: PageQuery) {
    const { count, results } = await store.listSignIns(ctx.db, ctx.caller.clientId, { limit, offset });
    return {
      count,
      ...neighbours('/iam/activity_log/logins', { limit, offset, count }),
      result: results.map((row) => ({
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

  /** Ends all sessions of the user and goes on in a new one.
   *  @throws Invalid naming what is wrong, NotFound, PermissionDenied for somebody else's */
  async changePassword(ctx: RequestContext, userId: number, input: ChangePassword) {
    const member = await changePassword(ctx, userId, input);
    return this.#pair(ctx, {
      userId,
      clientId: member.client_id,
      version: member.session_version,
      ceiling: ctx.caller.role === 'operator' ? 'Users' : lesserRole(ctx.caller.role, member.role),
    });
  }

  #pair(ctx: RequestContext, session: Session) {
    const deps = { cipher: this.#cipher, clock: ctx.clock, ids: ctx.ids };
    return { access: signToken(deps, session, 'access'), refresh: signToken(deps, session, 'refresh') };
  }
}
