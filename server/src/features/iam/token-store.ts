import type { Role, TokenRole } from '../../platform/auth/roles.ts';
import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';
import type { TokenListQuery } from './schema.ts';

const TOKEN_COLUMNS = [
  'id',
  'client_id',
  'user_id',
  'role',
  'name',
  'description',
  'expires_at',
  'created_at',
  'last_used_at',
  'deleted_at',
] as const;

export interface TokenRow extends RowOf<'api_tokens', typeof TOKEN_COLUMNS, { role: Role }> {
  readonly user_name: string | null;
  readonly user_email: string;
  readonly user_deleted: boolean;
}

const SELECT = sql`select ${listOf(TOKEN_COLUMNS, 't')}, u.name as user_name, u.email as user_email,
    u.deleted_at is not null as user_deleted
  from api_tokens t join users u on u.id = t.user_id`;

export async function listTokens(db: Db, clientId: number, query: TokenListQuery): Promise<TokenRow[]> {
  return db.rows<TokenRow>(sql`${SELECT} where t.client_id = ${clientId} and t.role not in ('operator', 'reporter')
        and (${query.role ?? null}::text is null or t.role = ${query.role ?? null}) and (${query.issued_by ?? null}::int is null or t.user_id = ${query.issued_by ?? null})
        and (${query.not_issued_by ?? null}::int is null or t.user_id <> ${query.not_issued_by ?? null}) and (t.deleted_at is not null) = ${query.deleted ?? false}
      order by t.id`);
}

export async function readToken(db: Queryable, clientId: number, id: number): Promise<TokenRow | undefined> {
  return db.row<TokenRow>(
    sql`${SELECT} where t.client_id = ${clientId} and t.id = ${id} and t.deleted_at is null and t.role not in ('operator', 'reporter')`,
  );
}

/** Counts the client's living tokens, and keeps others from adding one until the transaction ends. */
export async function countTokensLocked(tx: Tx, clientId: number): Promise<number> {
  await lockTokens(tx, clientId);
  return tx.number(
    sql`select count(*) as count from api_tokens where client_id = ${clientId} and deleted_at is null and role not in ('operator', 'reporter')`,
  );
}

export interface NewToken {
  readonly clientId: number;
  readonly userId: number;
  readonly role: TokenRole;
  readonly name: string;
  readonly description: string;
  readonly hash: Buffer;
  readonly expiresAt: string | null;
  /** The token that it was made with, and ends with. */
  readonly madeWith?: number | null;
  /** It is an operator's, who acts for the client. */
  readonly actsFor?: boolean;
  readonly timestamp: string;
}

export async function insertToken(tx: Tx, token: NewToken): Promise<number> {
  return tx.number(sql`insert into api_tokens (client_id, user_id, role, name, description, hash, expires_at, created_at, made_with, acts_for)
     values (${token.clientId}, ${token.userId}, ${token.role}, ${token.name}, ${token.description}, ${token.hash}, ${token.expiresAt}, ${token.timestamp}, ${token.madeWith ?? null}, ${token.actsFor ?? false}) returning id`);
}

/** The role and expiry of a token that is good now. */
export async function readGoodToken(
  tx: Tx,
  id: number,
  now: Date,
): Promise<{ role: Role; expires_at: Date | null } | undefined> {
  return tx.row<{ role: Role; expires_at: Date | null }>(sql`select role, expires_at from api_tokens
      where id = ${id} and deleted_at is null and (expires_at is null or expires_at > ${now.toISOString()})`);
}

/** Keeps others from making or ending tokens of the client until the transaction ends. */
export async function lockTokens(tx: Tx, clientId: number): Promise<void> {
  await tx.run(sql`select 1 from clients where id = ${clientId} for no key update`);
}

/** Ends a token, and those that were made with it. The tokens must be locked.
 *  @returns false when there is no such token */
export async function deleteToken(tx: Tx, clientId: number, id: number, timestamp: string): Promise<boolean> {
  const rows = await tx.rows(sql`update api_tokens set deleted_at = ${timestamp}
      where client_id = ${clientId} and id = ${id} and deleted_at is null and role not in ('operator', 'reporter') returning 1`);
  await deleteOrphans(tx, clientId, timestamp);
  return rows.length === 1;
}

/** Ends tokens that the user made for the client with one of these roles, and those that were made with them. The
 *  tokens must be locked. */
export async function retireTokens(
  tx: Tx,
  member: { clientId: number; userId: number },
  roles: readonly Role[],
  timestamp: string,
): Promise<void> {
  await tx.run(sql`update api_tokens set deleted_at = ${timestamp}
      where client_id = ${member.clientId} and user_id = ${member.userId} and role = any(${roles}::text[]) and deleted_at is null`);
  await deleteOrphans(tx, member.clientId, timestamp);
}

/** Ends every token that a person has made, in all their clients, or that were made with a token. Nothing is made
 *  there until the transaction ends. */
export async function endTokensOf(
  tx: Tx,
  { userId, tokenId }: { readonly userId: number; readonly tokenId: number },
  timestamp: string,
): Promise<void> {
  const theirs = sql`user_id = ${userId} and ${tokenId} in (0, made_with) and deleted_at is null
    and role not in ('operator', 'reporter')`;
  const clients = await tx.rows<{ id: number }>(sql`
    select id from clients where id in (
      select client_id from api_tokens where ${theirs}
      union select client_id from client_users where user_id = ${userId})
     order by id for no key update`);
  await tx.run(sql`update api_tokens set deleted_at = ${timestamp} where ${theirs}`);
  for (const { id } of clients) await deleteOrphans(tx, id, timestamp);
}

/** Ends tokens whose maker has ended, and theirs. */
export async function deleteOrphans(tx: Tx, clientId: number, timestamp: string): Promise<void> {
  await tx.run(sql`with recursive orphans as (
       select t.id from api_tokens t join api_tokens m on m.id = t.made_with
        where t.client_id = ${clientId} and t.deleted_at is null and m.deleted_at is not null
       union select t.id from api_tokens t join orphans o on t.made_with = o.id where t.deleted_at is null)
     update api_tokens set deleted_at = ${timestamp} where id in (select id from orphans)`);
}
