import type { Role } from '../../platform/auth/roles.ts';
import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { forgetOld } from '../../platform/database/forget-old.ts';
import { listPage, type Paging } from '../../platform/database/list-page.ts';
import { inserted, insertionOf } from '../../platform/database/new-rows.ts';
import { refuseMore } from '../../platform/database/refuse-more.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';
import { hasSecondFactor } from './factor-store.ts';
import { PENDING } from './invitation-store.ts';
import { deleteLinksOf } from './link-store.ts';
import { deleteSessionsOfUser } from './session-store.ts';

export type Lang = 'de' | 'en' | 'ru' | 'zh' | 'az';

const USER_COLUMNS = ['id', 'email', 'name', 'lang', 'phone', 'password_hash'] as const;

export type UserRow = RowOf<'users', typeof USER_COLUMNS, { lang: Lang }>;

/** A user as a member of one client. */
export interface MemberRow extends UserRow {
  readonly client_id: number;
  readonly client_name: string;
  readonly role: Role;
  /** False while an invitation is not accepted. */
  readonly accepted: boolean;
  /** Whether the user has a second factor. */
  readonly two_fa: boolean;
  /** Why the client is suspended; null: it is not. */
  readonly suspend_reason: string | null;
}

const USER = listOf(USER_COLUMNS, 'u');
const MEMBER_COLUMNS = sql`${USER}, c.client_id, c.role, k.name as client_name, true as accepted,
  ${hasSecondFactor(sql`u.id`)} as two_fa, k.suspend_reason`;
const MEMBER = sql`select ${MEMBER_COLUMNS}
  from users u join client_users c on c.user_id = u.id join clients k on k.id = c.client_id`;

/** Which membership a user goes on in: of a client that is not suspended, that they were in last, else that they
 *  joined first. */
const BEST_FIRST = sql`(k.suspend_reason is not null), c.client_id is not distinct from u.last_client_id desc,
  c.joined_at, c.client_id`;

/** All memberships of the user with this address, in its canonical form, the one to go on in first. */
export async function findMembershipsByEmail(db: Queryable, address: string): Promise<MemberRow[]> {
  return db.rows<MemberRow>(sql`${MEMBER} where lower(u.email collate "C") = ${address} and u.deleted_at is null
      order by ${BEST_FIRST}`);
}

/** The membership that a user goes on in. */
export async function findMembership(tx: Tx, userId: number): Promise<MemberRow | undefined> {
  return tx.row<MemberRow>(sql`${MEMBER} where u.id = ${userId} and u.deleted_at is null
      order by ${BEST_FIRST} limit 1`);
}

/** A user by the id that the client knows: that of the user, or of the invitation that they accepted. */
export async function readMember(db: Queryable, clientId: number, userId: number) {
  return db.row<MemberRow>(sql`${MEMBER} where c.client_id = ${clientId} and u.deleted_at is null and u.id =
       coalesce((select accepted_by from invitations where client_id = ${clientId} and user_id = ${userId}), ${userId})`);
}

/** Members, and those who are invited and have not accepted yet. */
export const listMembers = (
  db: Queryable,
  clientId: number,
  { now, ...page }: { readonly now: Date } & Paging,
) =>
  listPage<MemberRow>(db, {
    prepared: true,
    table: 'known',
    alias: 'm',
    columns: sql`m.*`,
    order: 'id',
    ...page,
    rows: sql`${MEMBER} where c.client_id = ${clientId}::int and u.deleted_at is null
      union all ${PENDING} where i.client_id = ${clientId}::int and i.accepted_by is null
        and i.expires_at > ${now.toISOString()}::timestamptz`,
  });

/** @param address in its canonical form */
export async function findUserByEmail(db: Queryable, address: string): Promise<UserRow | undefined> {
  return db.row<UserRow>(
    sql`select ${USER} from users u where lower(u.email collate "C") = ${address} and u.deleted_at is null`,
  );
}

export interface NewUser {
  /** That of the invitation which the user accepts; default: the next one. */
  readonly id?: number;
  readonly email: string;
  readonly name: string | null;
  readonly lang: Lang;
  readonly phone?: string | null;
  readonly passwordHash: string | null;
  readonly timestamp: string;
}

/** @throws the database's error of the constraint `users_email` when the address is in use */
export async function insertUser(tx: Tx, user: NewUser): Promise<number> {
  const [row] = await tx.rows<{
    id: number;
  }>(sql`insert into users (id, email, name, lang, password_hash, created_at, phone)
     values (coalesce(${user.id ?? null}, nextval(pg_get_serial_sequence('users', 'id'))), ${user.email}, ${user.name}, ${user.lang}, ${user.passwordHash}, ${user.timestamp}, ${user.phone ?? null}) returning id`);
  return inserted(row).id;
}

/** So many members a client has, and so many clients a person belongs to. */
export const MAX_MEMBERS = 1000;
export const MAX_MEMBERSHIPS = 200;

async function refuseMoreMembers(tx: Tx, clientId: number, userId: number): Promise<void> {
  await refuseMore(tx, {
    what: 'members',
    owner: `account ${clientId}`,
    limit: MAX_MEMBERS,
    count: () =>
      tx.number(sql`select count(*)::int as count from client_users where client_id = ${clientId}`),
  });
  await refuseMore(tx, {
    what: 'memberships',
    owner: `user ${userId}`,
    limit: MAX_MEMBERSHIPS,
    count: () => tx.number(sql`select count(*)::int as count from client_users where user_id = ${userId}`),
  });
}

/** @returns false when the user is a member already
 *  @throws Forbidden when the client or the person has as many as they may have */
export async function insertMember(
  tx: Tx,
  member: { clientId: number; userId: number; role: Role; timestamp: string },
): Promise<boolean> {
  await refuseMoreMembers(tx, member.clientId, member.userId);
  return tx.any(sql`insert into client_users (client_id, user_id, role, joined_at) values (${member.clientId}, ${member.userId}, ${member.role}, ${member.timestamp})
     on conflict do nothing returning 1`);
}

export async function updateUser(
  tx: Tx,
  id: number,
  change: { name: string | null; lang: Lang; phone: string | null },
): Promise<void> {
  await tx.run(
    sql`update users set name = ${change.name}, lang = ${change.lang}, phone = ${change.phone} where id = ${id}`,
  );
}

/** @returns the address of before
 *  @throws the database's error of the constraint `users_email` when the address is in use */
export async function readEmail(db: Queryable, id: number): Promise<string | undefined> {
  const [row] = await db.rows<{ email: string }>(sql`select email from users where id = ${id}`);
  return row?.email;
}

export async function setEmail(tx: Tx, id: number, email: string): Promise<string> {
  const [row] = await tx.rows<{
    before: string;
  }>(sql`update users u set email = ${email} from (select id, email from users where id = ${id} for update) b
      where u.id = b.id returning b.email as before`);
  if (!row) throw new Error(`user ${id} was not found`);
  return row.before;
}

/** Sets the password and ends all sessions and mailed links of the user. */
export async function setPassword(tx: Tx, id: number, passwordHash: string): Promise<void> {
  // The row first: it waits for whoever is signing in with the password of before, whose session then ends as well.
  await tx.run(sql`update users set password_hash = ${passwordHash} where id = ${id}`);
  await deleteSessionsOfUser(tx, id);
  await deleteLinksOf(tx, id);
}

export async function setRole(tx: Tx, clientId: number, userId: number, role: Role): Promise<void> {
  await tx.run(
    sql`update client_users set role = ${role} where client_id = ${clientId} and user_id = ${userId}`,
  );
}

/** Removes the user from the client and ends the sessions there. */
export async function deleteMember(tx: Tx, clientId: number, userId: number): Promise<void> {
  await deleteSessionsOfUser(tx, userId, clientId);
  await tx.run(sql`delete from invitations where client_id = ${clientId} and accepted_by = ${userId}`);
  await tx.run(sql`delete from client_users where client_id = ${clientId} and user_id = ${userId}`);
}

/** How many administrators the client has besides the user; true until the end of the
 *  transaction when the client is locked. */
export async function countOtherAdministrators(tx: Tx, clientId: number, userId: number): Promise<number> {
  return tx.number(sql`select count(*) as count from client_users c join users u on u.id = c.user_id
      where c.client_id = ${clientId} and c.user_id <> ${userId} and c.role = 'Administrators' and u.deleted_at is null`);
}

const SIGN_IN_COLUMNS = ['id', 'user_id', 'at', 'ip', 'user_agent', 'is_successful'] as const;

export type SignInRow = RowOf<'sign_ins', typeof SIGN_IN_COLUMNS>;

export interface NewSignIn {
  readonly clientId: number;
  readonly userId: number;
  readonly at: string;
  readonly ip: string;
  readonly userAgent: string;
}

/** Notes an attempt, as failed for the time being; returns its id. */
export async function insertSignIn(tx: Tx, signIn: NewSignIn): Promise<number> {
  const { clientId: client_id, userId: user_id, userAgent: user_agent, at, ip } = signIn;
  const columns = { client_id, user_id, at, ip, user_agent, is_successful: false };
  return tx.number(insertionOf('sign_ins', columns, sql`id`));
}

export async function markSignedIn(tx: Tx, id: number): Promise<void> {
  await tx.run(sql`update sign_ins set is_successful = true where id = ${id}`);
}

/** The newest first. */
export const listSignIns = (db: Db, clientId: number, page: Paging) =>
  listPage<SignInRow>(db, {
    prepared: true,
    table: 'sign_ins',
    alias: 's',
    ...page,
    columns: listOf(SIGN_IN_COLUMNS),
    where: [sql`client_id = ${clientId}::int`],
    order: 'id desc',
  });

/** Forgets attempts to sign in before a moment. */
export async function deleteOldSignIns(db: Queryable, before: Date): Promise<void> {
  await forgetOld(db, { table: 'sign_ins', by: 'at', before: before.toISOString() });
}
