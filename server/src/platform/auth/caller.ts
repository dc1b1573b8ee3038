import { hash } from 'node:crypto';
import { PermissionDenied, Unauthenticated } from '../../kernel/errors.ts';
import { firstOf } from '../../kernel/headers.ts';
import type { Db } from '../database/db.ts';
import { byKey, SharedLookUp } from '../database/shared-look-up.ts';
import { sql } from '../database/sql.ts';
import { FORGERY_HEADER, isForgeryToken, sessionCookieOf } from './cookies.ts';
import { greaterRole, isRole, type Role, type TokenRole } from './roles.ts';

/** Who makes a request. */
export interface Caller {
  /** The API token, also of a session that it opened; 0: a person who signed in. */
  readonly tokenId: number;
  readonly clientId: number;
  readonly userId: number;
  readonly role: TokenRole;
  /** The session, for a caller who has one. */
  readonly sessionId?: string;
  /** Whether the session is a browser's cookie: its scripts must not get tokens out of it. */
  readonly isBrowser?: boolean;
  /** When the person last proved who they are: signed in, or gave the password again. Absent for API tokens. */
  readonly provedAt?: Date;
  /** Whether the person must add a second factor before anything else. */
  readonly mustEnrol?: boolean;
  /** When the access token that the request came with ends, which nothing that it opens may outlive. */
  readonly endsAt?: Date;
  /** Why the client is suspended; absent: it is not. */
  readonly suspended?: string | undefined;
  /** Whether it is an operator, who acts for the client. */
  readonly actsFor?: boolean;
  /** What the caller may in single projects, by their ids, where that is more than `role`. */
  readonly projectRoles?: ReadonlyMap<number, Role>;
}

/** The caller's role for a call that names a project, or none. */
export function roleIn(caller: Caller, projectId: number | undefined): TokenRole {
  const here = projectId === undefined ? undefined : caller.projectRoles?.get(projectId);
  return here !== undefined && isRole(caller.role) ? greaterRole(caller.role, here) : caller.role;
}

/** Stands for the caller of a public route. */
export const NOBODY: Caller = { tokenId: 0, clientId: 0, userId: 0, role: 'Users' };

/** Tokens are kept as SHA-256 alone: whoever reads the database cannot use them. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

const MISSING = 'Authentication credentials were not provided.';
/** Of a token that opens nothing; a wording of the wire contract. */
export const INVALID_TOKEN = 'Token is invalid or expired';
const WRONG_SCHEME = 'Given token not valid for any token type';

/** Said to who proved to have had a token. */
export const expiredAt = (at: Date) => `${INVALID_TOKEN}. This token expired at ${at.toISOString()}`;

interface CachedCaller {
  readonly caller: Caller | undefined;
  readonly expiresAt: number | undefined;
  readonly readAt: number;
}

/** A resolver of `Authorization: Bearer …` tokens, which sign-in gives; absent where there is no sign-in. */
export type BearerResolver = (token: string) => Promise<Caller | undefined>;

/** What a request came with. */
export interface Credentials {
  readonly method: string;
  /** As the client sees it: what a trusted proxy says, or else the connection. */
  readonly protocol: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

const READS = ['GET', 'HEAD'];
const FORGED = `Send the token of GET /virga/v1/session as ${FORGERY_HEADER}: a write with a cookie needs it`;

export interface AuthenticatorOptions {
  readonly db: Db;
  readonly now: () => number;
  readonly bearer?: BearerResolver;
  /** A resolver of the values of session cookies. */
  readonly cookie?: BearerResolver;
}

/** How long a looked-up token is believed. A request that comes later than this after the token's deletion was
 *  answered is refused, on every node. */
const BELIEVED_MS = 500;
const MAX_CACHED = 10_000;

/** Turns an Authorization header into a caller. */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #cache = new Map<string, CachedCaller>();
  readonly #tokens: SharedLookUp<string, TokenRow>;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    const { db, now } = options;
    this.#tokens = new SharedLookUp(async (hashes) => byKey(await readTokens(db, hashes, now()), 'hash'));
  }

  /** The caller of a request: by its Authorization header or else by its session cookie.
   *  @throws Unauthenticated, PermissionDenied for a write with a cookie that no page of ours has sent */
  async identify(
    { method, protocol, headers }: Credentials,
    options: { fresh?: boolean } = {},
  ): Promise<Caller> {
    const cookie = sessionCookieOf(firstOf(headers.cookie), { secure: protocol === 'https' });
    if (headers.authorization !== undefined || cookie === undefined || !this.#options.cookie) {
      return this.authenticate(firstOf(headers.authorization), options);
    }
    const caller = await this.#options.cookie(cookie);
    if (!caller) throw new Unauthenticated(INVALID_TOKEN);
    if (!READS.includes(method) && !isForgeryToken(cookie, firstOf(headers[FORGERY_HEADER]))) {
      throw new PermissionDenied(FORGED);
    }
    return caller;
  }

  /** @param fresh asks the database even when the token was looked up a moment ago
   *  @throws Unauthenticated with the contract's message for each way to be wrong, and more where it helps */
  async authenticate(header: string | undefined, { fresh = false } = {}): Promise<Caller> {
    if (!header) throw new Unauthenticated(MISSING);
    const [scheme = '', token = '', ...rest] = header.split(' ');
    if (scheme.toLowerCase() === 'bearer' && this.#options.bearer && token && rest.length === 0) {
      const caller = await this.#options.bearer(token);
      if (!caller) throw new Unauthenticated(`${INVALID_TOKEN}${await this.#isApiToken(token)}`);
      return caller;
    }
    if (scheme.toLowerCase() !== 'apikey') {
      throw new Unauthenticated(`${WRONG_SCHEME}${await this.#isApiToken(token || scheme)}`);
    }
    if (!token || rest.length > 0) throw new Unauthenticated(INVALID_TOKEN);
    const caller = await this.#lookUp(token, fresh);
    if (!caller) throw new Unauthenticated(INVALID_TOKEN);
    return caller;
  }

  /** Said to who has a good token and sends it in the wrong way. */
  async #isApiToken(token: string): Promise<string> {
    const caller = await this.#lookUp(token, false);
    return caller ? '. This is an API token: send it as `Authorization: APIKey …`' : '';
  }

  async #lookUp(token: string, fresh: boolean): Promise<Caller | undefined> {
    const now = this.#options.now();
    const hash = hashToken(token).toString('hex');
    const cached = this.#cache.get(hash);
    const found =
      cached && !fresh && now - cached.readAt < BELIEVED_MS ? cached : await this.#read(hash, now);
    if (!found.caller || found.expiresAt === undefined || found.expiresAt > now) return found.caller;
    // Nobody else has the token, so that its end is no secret.
    throw new Unauthenticated(expiredAt(new Date(found.expiresAt)));
  }

  async #read(hash: string, now: number): Promise<CachedCaller> {
    const row = await this.#tokens.get(hash);
    const found = {
      caller: row && callerOf(row),
      expiresAt: row?.expires_at?.getTime(),
      readAt: now,
    };
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    this.#cache.set(hash, found);
    return found;
  }
}

const callerOf = (row: TokenRow): Caller => ({
  tokenId: row.id,
  clientId: row.client_id,
  userId: row.user_id,
  role: row.role,
  suspended: row.suspend_reason ?? undefined,
  actsFor: row.acts_for,
});

interface TokenRow {
  /** In hexadecimal. */
  hash: string;
  id: number;
  client_id: number;
  user_id: number;
  role: TokenRole;
  expires_at: Date | null;
  acts_for: boolean;
  suspend_reason: string | null;
}

/** The tokens with these hashes that are not deleted. Notes once a minute that they are used. */
function readTokens(db: Db, hashes: readonly string[], now: number): Promise<TokenRow[]> {
  return db.rows<TokenRow>(sql`with asked as (select decode(h, 'hex') as hash from unnest(${hashes}::text[]) as t (h)),
          seen as (update api_tokens set last_used_at = to_timestamp(${now}::float8 / 1000) where id in (
            select id from api_tokens join asked using (hash)
             where last_used_at is null or last_used_at < to_timestamp(${now}::float8 / 1000 - 60)
             order by id for update of api_tokens skip locked))
     select encode(t.hash, 'hex') as hash, t.id, t.client_id, t.user_id, t.role, t.expires_at, t.acts_for,
            c.suspend_reason
       from api_tokens t join asked using (hash) join clients c on c.id = t.client_id where t.deleted_at is null`);
}
