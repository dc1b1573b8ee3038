import type { Role } from '../../platform/auth/roles.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import { forgetOld } from '../../platform/database/forget-old.ts';
import { insertionOf } from '../../platform/database/new-rows.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import { raw, sql } from '../../platform/database/sql.ts';
import type { AssignableRole } from './assignable-roles.ts';
import { hasSecondFactor } from './factor-store.ts';

const SESSION_COLUMNS = [
  'id',
  'family_id',
  'user_id',
  'client_id',
  'token_id',
  'generation',
  'cookie_hash',
  'ip',
  'user_agent',
  'created_at',
  'last_used_at',
  'expires_at',
  'confirmed_at',
] as const;
const COLUMNS = listOf(SESSION_COLUMNS, 's');

export type SessionRow = RowOf<'sessions', typeof SESSION_COLUMNS>;

/** A session that stands, and what its user and the token that opened it may do now. */
export interface StandingSession extends SessionRow {
  readonly role: Role;
  readonly token_role: Role | null;
  readonly has_second_factor: boolean;
  /** Why its client is suspended; null: it is not. */
  readonly suspend_reason: string | null;
  /** Further roles, in the client or in single projects. */
  readonly assignments: readonly AssignedRole[] | null;
}

export interface AssignedRole {
  /** Null: the whole client. */
  readonly project_id: number | null;
  readonly role: AssignableRole;
}

/** A use is noted once a minute. */
const NOTED_EVERY_S = 60;

/** Those of the sessions that stand: not signed out or expired, the user still a member, the API token that opened
 *  it still good. Notes that they are used. */
export async function readStandingSessions(db: Queryable, ids: readonly string[], now: Date) {
  const at = sql`${now.toISOString()}::timestamptz`;
  return db.rows<StandingSession>(sql`
    with used as (
       update sessions set last_used_at = ${at}, expires_at = case when cookie_hash is null then expires_at
           else least(${at} + interval '1 day', created_at + interval '30 days') end
        where id in (
         select id from sessions where id = any(${ids}::uuid[])
            and last_used_at < ${at} - interval '${raw(NOTED_EVERY_S)} seconds'
          order by id for update skip locked))
     select ${COLUMNS}, c.role, t.role as token_role, k.suspend_reason,
         ${hasSecondFactor(sql`s.user_id`)} as has_second_factor, (
         select json_agg(json_build_object('project_id', a.project_id, 'role', a.role)) from role_assignments a
          where a.client_id = s.client_id and a.user_id = s.user_id) as assignments
       from sessions s
       join users u on u.id = s.user_id and u.deleted_at is null
       join client_users c on c.user_id = s.user_id and c.client_id = s.client_id
       join clients k on k.id = s.client_id
       left join api_tokens t on t.id = s.token_id
      where s.id = any(${ids}::uuid[]) and s.expires_at > ${at}
        and (s.token_id is null or (t.deleted_at is null and (t.expires_at is null or t.expires_at > ${at})))`);
}

export interface NewSession {
  readonly id: string;
  readonly familyId: string;
  readonly userId: number;
  readonly clientId: number;
  readonly tokenId: number | null;
  readonly cookieHash: Buffer | null;
  readonly ip: string;
  readonly userAgent: string;
  readonly createdAt: Date;
  readonly usedAt: Date;
  readonly expiresAt: Date;
  readonly confirmedAt: Date | null;
}

export async function insertSession(tx: Tx, session: NewSession): Promise<void> {
  const columns = {
    id: session.id,
    family_id: session.familyId,
    user_id: session.userId,
    client_id: session.clientId,
    token_id: session.tokenId,
    cookie_hash: session.cookieHash,
    ip: session.ip,
    user_agent: session.userAgent,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.usedAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
    confirmed_at: session.confirmedAt?.toISOString() ?? null,
  };
  await tx.run(insertionOf('sessions', columns));
}

/** Ends those of the user that were not used for the longest time, beyond so many. Those of each API token are
 *  counted apart, so that they push out none of the person's own. */
export async function deleteSessionsBeyond(
  tx: Tx,
  user: { userId: number; tokenId: number | null },
  most: number,
): Promise<void> {
  await tx.run(sql`delete from sessions where id in (
       select id from sessions where user_id = ${user.userId} and token_id is not distinct from ${user.tokenId}
        order by last_used_at desc, id offset ${most})`);
}

/** Where signing in leads to the next time. */
export async function noteLastClient(tx: Tx, userId: number, clientId: number): Promise<void> {
  await tx.run(
    sql`update users set last_client_id = ${clientId} where id = ${userId} and last_client_id is distinct from ${clientId}`,
  );
}

/** Whether the password is still the one that was checked; it stays so until the transaction ends. */
export async function passwordStands(tx: Tx, userId: number, passwordHash: string): Promise<boolean> {
  return tx.any(
    sql`select 1 from users where id = ${userId} and password_hash = ${passwordHash} and deleted_at is null for share`,
  );
}

/** Keeps the session from ending until the transaction does; false when it has ended. */
export async function lockSession(tx: Tx, id: string): Promise<boolean> {
  return (await tx.rows(sql`select 1 from sessions where id = ${id} for share`)).length === 1;
}

/** Notes that the person has given the password again.
 *  @returns false when the session has ended */
export async function noteConfirmed(tx: Tx, id: string, at: Date): Promise<boolean> {
  return tx.any(sql`update sessions set confirmed_at = ${at.toISOString()} where id = ${id} returning 1`);
}

/** Counts a refresh. @returns false when the session has gone on since that generation, or ended */
export async function raiseGeneration(
  tx: Tx,
  session: { id: string; generation: number },
  times: { usedAt: Date; expiresAt: Date },
): Promise<boolean> {
  return tx.any(sql`update sessions set generation = generation + 1, last_used_at = ${times.usedAt.toISOString()}, expires_at = ${times.expiresAt.toISOString()}
      where id = ${session.id} and generation = ${session.generation} returning 1`);
}

export async function deleteFamily(tx: Tx, familyId: string): Promise<void> {
  await tx.run(sql`delete from sessions where family_id = ${familyId}`);
}

/** Ends the user's sessions: all, or those in one client. */
export async function deleteSessionsOfUser(tx: Tx, userId: number, clientId?: number): Promise<void> {
  await tx.run(
    sql`delete from sessions where user_id = ${userId} and (${clientId ?? null}::int is null or client_id = ${clientId ?? null})`,
  );
}

/** Whose sessions: a person's, or those that an API token of theirs opened. */
interface Owner {
  readonly userId: number;
  /** 0: the person. */
  readonly tokenId: number;
}

/** The latest first; those that API tokens opened are not among the person's. */
export async function listSessions(db: Queryable, owner: Owner, now: Date): Promise<SessionRow[]> {
  return db.rows<SessionRow>(sql`select ${COLUMNS} from sessions s where user_id = ${owner.userId} and coalesce(token_id, 0) = ${owner.tokenId} and expires_at > ${now.toISOString()}
      order by created_at desc, id`);
}

/** The family of a session of the owner's. */
export async function readFamily(tx: Tx, owner: Owner, id: string): Promise<string | undefined> {
  const [row] = await tx.rows<{ family_id: string }>(
    sql`select family_id from sessions where user_id = ${owner.userId} and coalesce(token_id, 0) = ${owner.tokenId} and id = ${id}`,
  );
  return row?.family_id;
}

/** Ends all sessions of a person, or those that an API token opened. */
export async function deleteSessionsOfCaller(tx: Tx, owner: Owner): Promise<void> {
  await tx.run(
    sql`delete from sessions where user_id = ${owner.userId} and ${owner.tokenId} in (0, token_id)`,
  );
}

export async function deleteOldSessions(db: Queryable, now: Date): Promise<void> {
  await forgetOld(db, { table: 'sessions', by: 'expires_at', before: now.toISOString() });
}
