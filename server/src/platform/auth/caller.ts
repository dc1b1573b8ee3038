import { createHash } from 'node:crypto';
import { Unauthenticated } from '../../kernel/errors.ts';
import type { Db } from '../database/db.ts';
import type { Role } from './roles.ts';

/** Who makes a request. */
export interface Caller {
  readonly tokenId: number;
  readonly clientId: number;
  readonly userId: number;
  readonly role: Role | 'operator';
}

/** Stands for the caller of a public route. */
export const NOBODY: Caller = { tokenId: 0, clientId: 0, userId: 0, role: 'Users' };

/** Tokens are kept as SHA-256 alone: whoever reads the database cannot use them. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

const MISSING = 'Authentication credentials were not provided.';
const UNKNOWN = 'Token is invalid or expired';
const WRONG_SCHEME = 'Given token not valid for any token type';

interface CachedCaller {
  readonly caller: Caller | undefined;
  readonly expiresAt: number | undefined;
  readonly readAt: number;
}

/** A resolver of `Authorization: Bearer …` tokens, which sign-in gives; absent where there is no sign-in. */
export type BearerResolver = (token: string) => Promise<Caller | undefined>;

export interface AuthenticatorOptions {
  readonly db: Db;
  readonly now: () => number;
  readonly bearer?: BearerResolver;
}

/** How long a looked-up token is believed; a revoked one is refused everywhere within this time. */
const BELIEVED_MS = 800;
const MAX_CACHED = 10_000;

/** Turns an Authorization header into a caller. */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #cache = new Map<string, CachedCaller>();

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /** @throws Unauthenticated with the contract's message for each way to be wrong */
  async authenticate(header: string | undefined): Promise<Caller> {
    if (!header) throw new Unauthenticated(MISSING);
    const [scheme = '', token = '', ...rest] = header.split(' ');
    if (scheme.toLowerCase() === 'bearer' && this.#options.bearer && token && rest.length === 0) {
      const caller = await this.#options.bearer(token);
      if (!caller) throw new Unauthenticated(UNKNOWN);
      return caller;
    }
    if (scheme.toLowerCase() !== 'apikey') throw new Unauthenticated(WRONG_SCHEME);
    if (!token || rest.length > 0) throw new Unauthenticated(UNKNOWN);
    const caller = await this.#lookUp(token);
    if (!caller) throw new Unauthenticated(UNKNOWN);
    return caller;
  }

  async #lookUp(token: string): Promise<Caller | undefined> {
    const now = this.#options.now();
    const hash = hashToken(token);
    const key = hash.toString('base64');
    const cached = this.#cache.get(key);
    if (cached && now - cached.readAt < BELIEVED_MS) {
      return cached.expiresAt !== undefined && cached.expiresAt <= now ? undefined : cached.caller;
    }
    const fresh = await readToken(this.#options.db, hash, now);
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    this.#cache.set(key, fresh);
    return fresh.expiresAt !== undefined && fresh.expiresAt <= now ? undefined : fresh.caller;
  }
}

interface TokenRow {
  id: number;
  client_id: number;
  user_id: number;
  role: Role | 'operator';
  expires_at: Date | null;
}

async function readToken(db: Db, hash: Buffer, now: number): Promise<CachedCaller> {
  const [row] = await db.named<TokenRow>(
    'token_by_hash',
    `with seen as (
       update api_tokens set last_used_at = to_timestamp($2::float8 / 1000)
        where hash = $1 and (last_used_at is null or last_used_at < to_timestamp($2::float8 / 1000 - 60)))
     select id, client_id, user_id, role, expires_at from api_tokens where hash = $1 and deleted_at is null`,
    [hash, now],
  );
  if (!row) return { caller: undefined, expiresAt: undefined, readAt: now };
  const caller = { tokenId: row.id, clientId: row.client_id, userId: row.user_id, role: row.role };
  return { caller, expiresAt: row.expires_at?.getTime(), readAt: now };
}
