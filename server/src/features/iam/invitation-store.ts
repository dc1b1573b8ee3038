import type { Role } from '../../platform/auth/roles.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import { forgetOld } from '../../platform/database/forget-old.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Lang, MemberRow } from './user-store.ts';

/** An invitation that was not accepted, with the columns of a member. */
export const PENDING = sql`select i.user_id as id, i.email, i.name, i.lang, i.phone, null as password_hash, i.client_id,
    i.role, k.name as client_name, false as accepted, false as two_fa, k.suspend_reason
  from invitations i join clients k on k.id = i.client_id`;

export interface NewInvitation {
  readonly clientId: number;
  readonly email: string;
  readonly name: string | null;
  readonly lang: Lang;
  readonly role: Role;
  readonly hash: Buffer;
  readonly timestamp: string;
  readonly expiresAt: string;
}

/** @returns the id that names the invited person; nothing when the address is invited already */
export async function insertInvitation(tx: Tx, invitation: NewInvitation): Promise<number | undefined> {
  const [row] = await tx.rows<{
    user_id: number;
  }>(sql`insert into invitations (user_id, client_id, email, name, lang, role, hash, created_at, expires_at)
     values (nextval(pg_get_serial_sequence('users', 'id')), ${invitation.clientId}, ${invitation.email}, ${invitation.name}, ${invitation.lang}, ${invitation.role}, ${invitation.hash}, ${invitation.timestamp}, ${invitation.expiresAt})
     on conflict (client_id, lower(email collate "C")) where accepted_by is null do nothing returning user_id`);
  return row?.user_id;
}

/** How the client knows somebody with this address, in its canonical form: as a member, or as invited. */
export async function findKnownId(tx: Tx, clientId: number, address: string): Promise<number | undefined> {
  const [row] = await tx.rows<{
    id: number;
  }>(sql`select u.id from users u join client_users c on c.user_id = u.id
      where c.client_id = ${clientId} and lower(u.email collate "C") = ${address} and u.deleted_at is null
     union all
     select user_id from invitations where client_id = ${clientId} and lower(email collate "C") = ${address} and accepted_by is null`);
  return row?.id;
}

/** Counts what waits to be accepted; the client's row must be locked. */
export async function countPending(tx: Tx, clientId: number): Promise<number> {
  return tx.number(
    sql`select count(*) as count from invitations where client_id = ${clientId} and accepted_by is null`,
  );
}

export async function readPending(db: Queryable, clientId: number, userId: number, now: Date) {
  return db.row<MemberRow>(
    sql`${PENDING} where i.client_id = ${clientId} and i.user_id = ${userId} and i.accepted_by is null and i.expires_at > ${now.toISOString()}`,
  );
}

/** As `readPending`; nobody accepts or revokes it until the transaction ends. */
export async function lockPending(tx: Tx, clientId: number, userId: number, now: Date) {
  return tx.row<MemberRow>(sql`${PENDING} where i.client_id = ${clientId} and i.user_id = ${userId} and i.accepted_by is null and i.expires_at > ${now.toISOString()}
      for share of i`);
}

/** The invitation that a mailed token is for, while it can be accepted. */
export async function readByHash(db: Queryable, hash: Buffer, now: Date): Promise<MemberRow | undefined> {
  return db.row<MemberRow>(
    sql`${PENDING} where i.hash = ${hash} and i.accepted_by is null and i.expires_at > ${now.toISOString()}`,
  );
}

/** As `readByHash`; nobody else accepts, changes or revokes it until the transaction ends. */
export async function lockByHash(tx: Tx, hash: Buffer, now: Date): Promise<MemberRow | undefined> {
  return tx.row<MemberRow>(
    sql`${PENDING} where i.hash = ${hash} and i.accepted_by is null and i.expires_at > ${now.toISOString()} for update of i`,
  );
}

export async function markAccepted(tx: Tx, invitedId: number, userId: number): Promise<void> {
  await tx.run(sql`update invitations set accepted_by = ${userId} where user_id = ${invitedId}`);
}

/** @returns false when nothing waits under this id */
export async function setPendingRole(tx: Tx, clientId: number, userId: number, role: Role): Promise<boolean> {
  return tx.any(
    sql`update invitations set role = ${role} where client_id = ${clientId} and user_id = ${userId} and accepted_by is null returning 1`,
  );
}

export interface PendingProfile {
  readonly name: string | null;
  readonly lang: Lang;
  readonly phone: string | null;
}

/** @returns false when nothing waits under this id */
export async function setPendingProfile(
  tx: Tx,
  clientId: number,
  userId: number,
  { name, lang, phone }: PendingProfile,
): Promise<boolean> {
  return tx.any(sql`update invitations set name = ${name}, lang = ${lang}, phone = ${phone}
      where client_id = ${clientId} and user_id = ${userId} and accepted_by is null returning 1`);
}

/** @returns false when nothing waits under this id */
export async function deletePending(tx: Tx, clientId: number, userId: number): Promise<boolean> {
  return tx.any(
    sql`delete from invitations where client_id = ${clientId} and user_id = ${userId} and accepted_by is null returning 1`,
  );
}

export async function deleteOldInvitations(db: Queryable, now: Date): Promise<void> {
  const old = { table: 'invitations', by: 'expires_at', before: now.toISOString() };
  await forgetOld(db, { ...old, where: 'accepted_by is null' });
}
