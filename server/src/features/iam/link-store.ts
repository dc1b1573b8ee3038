import type { Queryable, Tx } from '../../platform/database/db.ts';
import { forgetOld } from '../../platform/database/forget-old.ts';
import { sql } from '../../platform/database/sql.ts';

/** Tokens that are mailed or printed, and work once. They are kept as SHA-256 alone. */

export type LinkKind = 'password' | 'email' | 'sign_in';

export interface NewLink {
  readonly kind: LinkKind;
  readonly userId: number;
  /** The address to confirm. */
  readonly email?: string;
  readonly hash: Buffer;
  readonly expiresAt: string;
}

/** Said of a token that opens nothing any more, or never did. */
export const LINK_EXPIRED = 'is unknown or has expired; request a new one';

export async function insertLink(tx: Tx, link: NewLink): Promise<void> {
  await tx.run(
    sql`insert into one_time_links (kind, hash, user_id, email, expires_at) values (${link.kind}, ${link.hash}, ${link.userId}, ${link.email ?? null}, ${link.expiresAt})`,
  );
}

/** The address of whom a link is for, if it still works, without using it up. */
export async function findLinkOwner(
  db: Queryable,
  kind: LinkKind,
  hash: Buffer,
  now: Date,
): Promise<string | undefined> {
  const row = await db.row<{
    email: string;
  }>(sql`select u.email from one_time_links l join users u on u.id = l.user_id
      where l.kind = ${kind} and l.hash = ${hash} and l.expires_at > ${now.toISOString()}`);
  return row?.email;
}

/** Whom and what the link is for, if it still works; it does not afterwards. */
export async function useLink(
  tx: Tx,
  kind: LinkKind,
  hash: Buffer,
  now: Date,
): Promise<{ userId: number; email: string | null } | undefined> {
  const [row] = await tx.rows<{
    user_id: number;
    email: string | null;
  }>(sql`delete from one_time_links l using users u
      where l.kind = ${kind} and l.hash = ${hash} and l.expires_at > ${now.toISOString()} and u.id = l.user_id and u.deleted_at is null
      returning l.user_id, l.email`);
  return row && { userId: row.user_id, email: row.email };
}

export async function deleteLinksOf(tx: Tx, userId: number): Promise<void> {
  await tx.run(sql`delete from one_time_links where user_id = ${userId}`);
}

export async function deleteOldLinks(db: Queryable, now: Date): Promise<void> {
  await forgetOld(db, { table: 'one_time_links', by: 'expires_at', before: now.toISOString() });
}
