import type { Role } from '../../platform/auth/roles.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';

export type Lang = 'de' | 'en' | 'ru' | 'zh' | 'az';

export interface UserRow {
  readonly id: number;
  readonly email: string;
  readonly name: string | null;
  readonly lang: Lang;
  readonly phone: string | null;
  readonly password_hash: string | null;
  readonly session_version: number;
}

/** A user as a member of one client. */
export interface MemberRow extends UserRow {
  readonly client_id: number;
  readonly client_name: string;
  readonly role: Role;
}

const USER = 'u.id, u.email, u.name, u.lang, u.phone, u.password_hash, u.session_version';
const MEMBER = `select ${USER}, c.client_id, c.role, k.name as client_name
  from users u join client_users c on c.user_id = u.id join clients k on k.id = c.client_id`;

/** All memberships of the user with this address, the oldest client first. */
export async function findMembershipsByEmail(db: Queryable, email: string): Promise<MemberRow[]> {
  return db.named<MemberRow>(
    'user_by_email',
    `${MEMBER} where lower(u.email) = lower($1) and u.deleted_at is null order by c.client_id`,
    [email],
  );
}

export async function findMemberships(db: Queryable, userId: number): Promise<MemberRow[]> {
  return db.named<MemberRow>(
    'user_memberships',
    `${MEMBER} where u.id = $1 and u.deleted_at is null order by c.client_id`,
    [userId],
  );
}

export async function readMember(
  db: Queryable,
  clientId: number,
  userId: number,
): Promise<MemberRow | undefined> {
  const [row] = await db.named<MemberRow>(
    'member_get',
    `${MEMBER} where c.client_id = $1 and u.id = $2 and u.deleted_at is null`,
    [clientId, userId],
  );
  return row;
}

export async function listMembers(db: Queryable, clientId: number, page: { limit: number; offset: number }) {
  const results = await db.named<MemberRow>(
    'member_list',
    `${MEMBER} where c.client_id = $1 and u.deleted_at is null order by u.id limit $2 offset $3`,
    [clientId, page.limit, page.offset],
  );
  const [total] = await db.named<{ count: number }>(
    'member_count',
    `select count(*) as count from client_users c join users u on u.id = c.user_id
      where c.client_id = $1 and u.deleted_at is null`,
    [clientId],
  );
  return { count: total?.count ?? 0, results };
}

export async function findUserByEmail(db: Queryable, email: string): Promise<UserRow | undefined> {
  const [row] = await db.named<UserRow>(
    'user_alone_by_email',
    `select ${USER} from users u where lower(u.email) = lower($1) and u.deleted_at is null`,
    [email],
  );
  return row;
}

export interface NewUser {
  readonly email: string;
  readonly name: string | null;
  readonly lang: Lang;
  readonly passwordHash: string | null;
  readonly timestamp: string;
}

/** @throws the database's error of the constraint `users_email` when the address is taken */
export async function insertUser(tx: Tx, user: NewUser): Promise<number> {
  const [row] = await tx.named<{ id: number }>(
    'user_insert',
    `insert into users (email, name, lang, password_hash, created_at) values ($1, $2, $3, $4, $5) returning id`,
    [user.email, user.name, user.lang, user.passwordHash, user.timestamp],
  );
  if (!row) throw new Error('the user was not inserted');
  return row.id;
}

/** @returns false when the user is a member already */
export async function insertMember(tx: Tx, clientId: number, userId: number, role: Role): Promise<boolean> {
  const rows = await tx.named(
    'member_insert',
    `insert into client_users (client_id, user_id, role) values ($1, $2, $3) on conflict do nothing returning 1`,
    [clientId, userId, role],
  );
  return rows.length === 1;
}

export async function updateUser(
  tx: Tx,
  id: number,
  change: { name: string | null; lang: Lang; phone: string | null; email: string },
): Promise<void> {
  await tx.named(
    'user_update',
    'update users set name = $2, lang = $3, phone = $4, email = $5 where id = $1',
    [id, change.name, change.lang, change.phone, change.email],
  );
}

/** Sets the password and ends all sessions and mailed links of the user. */
export async function setPassword(tx: Tx, id: number, passwordHash: string): Promise<void> {
  await tx.named(
    'user_set_password',
    `with gone as (delete from password_links where user_id = $1)
     update users set password_hash = $2, session_version = session_version + 1 where id = $1`,
    [id, passwordHash],
  );
}

export async function setRole(tx: Tx, clientId: number, userId: number, role: Role): Promise<void> {
  await tx.named(
    'member_set_role',
    'update client_users set role = $3 where client_id = $1 and user_id = $2',
    [clientId, userId, role],
  );
}

export async function deleteMember(tx: Tx, clientId: number, userId: number): Promise<void> {
  await tx.named('member_delete', 'delete from client_users where client_id = $1 and user_id = $2', [
    clientId,
    userId,
  ]);
}

/** Ends tokens that the user made for the client with one of these roles. */
export async function retireTokens(
  tx: Tx,
  member: { clientId: number; userId: number },
  roles: readonly Role[],
  timestamp: string,
): Promise<void> {
  await tx.named(
    'member_retire_tokens',
    `update api_tokens set deleted_at = $4
      where client_id = $1 and user_id = $2 and role = any($3::text[]) and deleted_at is null`,
    [member.clientId, member.userId, roles, timestamp],
  );
}

/** How many administrators the client has besides the user; locks the client so that the answer stays true. */
export async function countOtherAdministrators(tx: Tx, clientId: number, userId: number): Promise<number> {
  await tx.named('client_lock', 'select 1 from clients where id = $1 for no key update', [clientId]);
  const [row] = await tx.named<{ count: number }>(
    'member_other_administrators',
    `select count(*) as count from client_users c join users u on u.id = c.user_id
      where c.client_id = $1 and c.user_id <> $2 and c.role = 'Administrators' and u.deleted_at is null`,
    [clientId, userId],
  );
  return row?.count ?? 0;
}

export async function insertPasswordLink(
  tx: Tx,
  link: { hash: Buffer; userId: number; expiresAt: string },
): Promise<void> {
  await tx.named(
    'password_link_insert',
    'insert into password_links (hash, user_id, expires_at) values ($1, $2, $3)',
    [link.hash, link.userId, link.expiresAt],
  );
}

/** The user whose link this is, if it still holds; it does not afterwards. */
export async function takePasswordLink(tx: Tx, hash: Buffer, now: string): Promise<number | undefined> {
  const [row] = await tx.named<{ user_id: number }>(
    'password_link_take',
    `delete from password_links l using users u
      where l.hash = $1 and l.expires_at > $2 and u.id = l.user_id and u.deleted_at is null returning l.user_id`,
    [hash, now],
  );
  return row?.user_id;
}

export interface SignInRow {
  readonly id: number;
  readonly user_id: number;
  readonly at: Date;
  readonly ip: string;
  readonly user_agent: string;
  readonly is_successful: boolean;
}

export interface NewSignIn {
  readonly clientId: number;
  readonly userId: number;
  readonly at: string;
  readonly ip: string;
  readonly userAgent: string;
}

/** Notes an attempt, as failed for the time being; returns its id. */
export async function insertSignIn(tx: Tx, signIn: NewSignIn): Promise<number> {
  const [row] = await tx.named<{ id: number }>(
    'sign_in_insert',
    `insert into sign_ins (client_id, user_id, at, ip, user_agent, is_successful)
     values ($1, $2, $3, $4, $5, false) returning id`,
    [signIn.clientId, signIn.userId, signIn.at, signIn.ip, signIn.userAgent],
  );
  if (!row) throw new Error('the sign-in was not inserted');
  return row.id;
}

export async function markSignedIn(tx: Tx, id: number): Promise<void> {
  await tx.named('sign_in_success', 'update sign_ins set is_successful = true where id = $1', [id]);
}

export async function listSignIns(db: Queryable, clientId: number, page: { limit: number; offset: number }) {
  const results = await db.named<SignInRow>(
    'sign_in_list',
    `select id, user_id, at, ip, user_agent, is_successful from sign_ins
      where client_id = $1 order by id desc limit $2 offset $3`,
    [clientId, page.limit, page.offset],
  );
  const [total] = await db.named<{ count: number }>(
    'sign_in_count',
    'select count(*) as count from sign_ins where client_id = $1',
    [clientId],
  );
  return { count: total?.count ?? 0, results };
}

/** Forgets attempts to sign in before a moment, and links that no longer hold. */
export async function deleteOldSignIns(db: Queryable, before: Date, now: Date): Promise<void> {
  await db.named('sign_in_forget', 'delete from sign_ins where at < $1', [before.toISOString()]);
  await db.named('password_link_forget', 'delete from password_links where expires_at < $1', [
    now.toISOString(),
  ]);
}
