import type { Role, TokenRole } from '../../platform/auth/roles.ts';
import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import type { TokenListQuery } from './schema.ts';

const TOKEN_COLUMNS = [
  ...(['id', 'client_id', 'user_id', 'role', 'name', 'description', 'expires_at', 'created_at'] as const),
  ...(['last_used_at', 'deleted_at'] as const),
] as const;

export interface TokenRow extends RowOf<'api_tokens', typeof TOKEN_COLUMNS, { role: Role }> {
  readonly user_name: string | null;
  readonly user_email: string;
  readonly user_deleted: boolean;
}

const SELECT = `select ${listOf(TOKEN_COLUMNS, 't')}, u.name as user_name, u.email as user_email,
    u.deleted_at is not null as user_deleted
  from api_tokens t join users u on u.id = t.user_id`;

export async function listTokens(db: Db, clientId: number, query: TokenListQuery): Promise<TokenRow[]> {
  return db.named<TokenRow>(
    'api_token_list',
    `${SELECT} where t.client_id = $1 and t.role not in ('operator', 'reporter')
        and ($2::text is null or t.role = $2) and ($3::int is null or t.user_id = $3)
        and ($4::int is null or t.user_id <> $4) and (t.deleted_at is not null) = $5
      order by t.id`,
    [
      clientId,
      query.role ?? null,
      query.issued_by ?? null,
      query.not_issued_by ?? null,
      query.deleted ?? false,
    ],
  );
}

export async function readToken(db: Queryable, clientId: number, id: number): Promise<TokenRow | undefined> {
  return db.namedRow<TokenRow>(
    'api_token_get',
    `${SELECT} where t.client_id = $1 and t.id = $2 and t.deleted_at is null and t.role not in ('operator', 'reporter')`,
    [clientId, id],
  );
}

/** Counts the client's living tokens, and keeps others from adding one until the transaction ends. */
export async function countTokensLocked(tx: Tx, clientId: number): Promise<number> {
  await lockTokens(tx, clientId);
  return tx.namedNumber(
    'api_token_count',
    `select count(*) as count from api_tokens where client_id = $1 and deleted_at is null and role not in ('operator', 'reporter')`,
    [clientId],
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
  return tx.namedNumber(
    'api_token_insert',
    `insert into api_tokens (client_id, user_id, role, name, description, hash, expires_at, created_at, made_with, acts_for)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning id`,
    [
      token.clientId,
      token.userId,
      token.role,
      token.name,
      token.description,
      token.hash,
      token.expiresAt,
      token.timestamp,
      token.madeWith ?? null,
      token.actsFor ?? false,
    ],
  );
}

/** The role and expiry of a token that is good now. */
export async function readGoodToken(
  tx: Tx,
  id: number,
  now: Date,
): Promise<{ role: Role; expires_at: Date | null } | undefined> {
  return tx.namedRow<{ role: Role; expires_at: Date | null }>(
    'api_token_good',
    `select role, expires_at from api_tokens
      where id = $1 and deleted_at is null and (expires_at is null or expires_at > $2)`,
    [id, now.toISOString()],
  );
}

/** Keeps others from making or ending tokens of the client until the transaction ends. */
export async function lockTokens(tx: Tx, clientId: number): Promise<void> {
  await tx.named('client_lock', 'select 1 from clients where id = $1 for no key update', [clientId]);
}

/** Ends a token, and those that were made with it. The tokens must be locked.
 *  @returns false when there is no such token */
export async function deleteToken(tx: Tx, clientId: number, id: number, timestamp: string): Promise<boolean> {
  const rows = await tx.named(
    'api_token_delete',
    `update api_tokens set deleted_at = $3
      where client_id = $1 and id = $2 and deleted_at is null and role not in ('operator', 'reporter') returning 1`,
    [clientId, id, timestamp],
  );
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
  await tx.named(
    'member_retire_tokens',
    `update api_tokens set deleted_at = $4
      where client_id = $1 and user_id = $2 and role = any($3::text[]) and deleted_at is null`,
    [member.clientId, member.userId, roles, timestamp],
  );
  await deleteOrphans(tx, member.clientId, timestamp);
}

/** Ends every token that a person has made, in all their clients, or that were made with a token. Nothing is made
 *  there until the transaction ends. */
export async function endTokensOf(
  tx: Tx,
  { userId, tokenId }: { readonly userId: number; readonly tokenId: number },
  timestamp: string,
): Promise<void> {
  const theirs = `user_id = $1 and $2 in (0, made_with) and deleted_at is null and role not in ('operator', 'reporter')`;
  const clients = await tx.named<{ id: number }>(
    'client_lock_of_tokens',
    `select id from clients where id in (
       select client_id from api_tokens where ${theirs} union select client_id from client_users where user_id = $1)
      order by id for no key update`,
    [userId, tokenId],
  );
  await tx.named('api_token_end_all', `update api_tokens set deleted_at = $3 where ${theirs}`, [
    userId,
    tokenId,
    timestamp,
  ]);
  for (const { id } of clients) await deleteOrphans(tx, id, timestamp);
}

/** Ends tokens whose maker has ended, and theirs. */
export async function deleteOrphans(tx: Tx, clientId: number, timestamp: string): Promise<void> {
  await tx.named(
    'api_token_delete_orphans',
    `with recursive orphans as (
       select t.id from api_tokens t join api_tokens m on m.id = t.made_with
        where t.client_id = $1 and t.deleted_at is null and m.deleted_at is not null
       union select t.id from api_tokens t join orphans o on t.made_with = o.id where t.deleted_at is null)
     update api_tokens set deleted_at = $2 where id in (select id from orphans)`,
    [clientId, timestamp],
  );
}
