import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/ids.ts';
import type { BearerResolver } from '../../platform/auth/caller.ts';
import { ROLES, type Role } from '../../platform/auth/roles.ts';
import type { Db, Queryable } from '../../platform/database/db.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';

/** Tokens of people who signed in: JSON Web Tokens (RFC 7519), signed with HMAC-SHA-256 under a key that comes
 *  from the master key. They are short-lived, and every use asks the database whether user, role and session
 *  still stand, so that removing somebody works at once. */

export const ACCESS_SECONDS = 15 * 60;
export const REFRESH_SECONDS = 24 * 3600;

export interface Session {
  readonly userId: number;
  readonly clientId: number;
  readonly version: number;
  /** The most that the session may do, whatever the user's role is. */
  readonly ceiling: Role;
}

type Kind = 'access' | 'refresh';

interface Claims {
  readonly sub: number;
  readonly client: number;
  readonly version: number;
  readonly ceiling: Role;
  readonly kind: Kind;
  readonly exp: number;
  readonly jti: string;
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const HEADER = encode({ alg: 'HS256', typ: 'JWT' });
const PURPOSE = 'sign-in';

export interface SessionDeps {
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly ids: Ids;
}

export function signToken({ cipher, clock, ids }: SessionDeps, session: Session, kind: Kind): string {
  const seconds = kind === 'access' ? ACCESS_SECONDS : REFRESH_SECONDS;
  const claims: Claims = {
    sub: session.userId,
    client: session.clientId,
    version: session.version,
    ceiling: session.ceiling,
    kind,
    exp: Math.floor(clock.now().getTime() / 1000) + seconds,
    jti: ids.uuid(),
  };
  const content = `${HEADER}.${encode(claims)}`;
  return `${content}.${cipher.sign(content, PURPOSE).toString('base64url')}`;
}

/** The session that a token stands for, or nothing when it is forged, expired or of the other kind. */
export function readToken(
  { cipher, clock }: Pick<SessionDeps, 'cipher' | 'clock'>,
  token: string,
  kind: Kind,
): Session | undefined {
  const [header, body = '', signature = '', ...rest] = token.split('.');
  if (header !== HEADER || rest.length > 0) return undefined;
  if (!cipher.verify(`${header}.${body}`, PURPOSE, Buffer.from(signature, 'base64url'))) return undefined;
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as Claims;
  if (claims.kind !== kind || claims.exp * 1000 <= clock.now().getTime()) return undefined;
  return { userId: claims.sub, clientId: claims.client, version: claims.version, ceiling: claims.ceiling };
}

/** What the user of a session may do now, or nothing when the session has ended. */
export async function roleOfSession(db: Queryable, session: Session): Promise<Role | undefined> {
  const [row] = await db.named<{ role: Role }>(
    'session_role',
    `select c.role from users u join client_users c on c.user_id = u.id
      where u.id = $1 and c.client_id = $2 and u.session_version = $3 and u.deleted_at is null`,
    [session.userId, session.clientId, session.version],
  );
  return row && lesserRole(row.role, session.ceiling);
}

const RANK: readonly Role[] = ['Users', 'Engineers', 'Administrators'];

export function lesserRole(a: Role, b: Role): Role {
  return RANK.indexOf(a) < RANK.indexOf(b) ? a : b;
}

/** Roles that allow more than this one. */
export const rolesAbove = (role: Role): readonly Role[] =>
  ROLES.filter((each) => RANK.indexOf(each) > RANK.indexOf(role));

/** Resolves `Authorization: Bearer …`. */
export function bearerResolver(deps: { db: Db; cipher: Cipher; clock: Clock }): BearerResolver {
  return async (token) => {
    const session = readToken(deps, token, 'access');
    const role = session && (await roleOfSession(deps.db, session));
    return role && { tokenId: 0, clientId: session.clientId, userId: session.userId, role };
  };
}
