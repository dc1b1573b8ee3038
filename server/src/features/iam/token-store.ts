import type { Role } from '../../platform/auth/roles.ts';
import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import type { TokenListQuery } from './schema.ts';

export interface TokenRow {
  readonly id: number;
  readonly client_id: number;
  readonly user_id: number;
  readonly role: Role;
  readonly name: string;
  readonly description: string;
  readonly expires_at: Date | null;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
  readonly deleted_at: Date | null;
  readonly user_name: string | null;
  readonly user_email: string;
  readonly user_deleted: boolean;
}

const SELECT = `select t.id, t.client_id, t.user_id, t.role, t.name, t.description, t.expires_at, t.created_at,
    t.last_used_at, t.deleted_at, u.name as user_name, u.email as user_email, u.deleted_at is not null as user_deleted
  from api_tokens t join users u on u.id = t.user_id`;

export async function listTokens(db: Db, clientId: number, query: TokenListQuery): Promise<TokenRow[]> {
  return db.named<TokenRow>(
    'api_token_list',
    `${SELECT} where t.client_id = $1 and t.role <> 'operator'
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
  const [row] = await db.named<TokenRow>(
    'api_token_get',
    `${SELECT} where t.client_id = $1 and t.id = $2 and t.deleted_at is null and t.role <> 'operator'`,
    [clientId, id],
  );
  return row;
}

/** Counts the client's living tokens, and keeps others from adding one until the transaction ends. */
export async function countTokensLocked(tx: Tx, clientId: number): Promise<number> {
  await tx.named('client_lock', 'select 1 from clients where id = $1 for no key update', [clientId]);
  const [row] = await tx.named<{ count: number }>(
    'api_token_count',
    `select count(*) as count from api_tokens where client_id = $1 and deleted_at is null and role <> 'operator'`,
    [clientId],
  );
  return row?.count ?? 0;
}

export interface NewToken {
  readonly clientId: number;
  readonly userId: number;
  readonly role: Role | 'operator';
  readonly name: string;
  readonly description: string;
  readonly hash: Buffer;
  readonly expiresAt: string | null;
  readonly timestamp: string;
}

export async function insertToken(tx: Tx, token: NewToken): Promise<number> {
  const [row] = await tx.named<{ id: number }>(
    'api_token_insert',
    `insert into api_tokens (client_id, user_id, role, name, description, hash, expires_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning id`,
    [
      token.clientId,
      token.userId,
      token.role,
      token.name,
      token.description,
      token.hash,
      token.expiresAt,
      token.timestamp,
    ],
  );
  return row?.id ?? 0;
}

export async function deleteToken(tx: Tx, clientId: number, id: number, timestamp: string): Promise<boolean> {
  const rows = await tx.named(
    'api_token_delete',
    `update api_tokens set deleted_at = $3
      where client_id = $1 and id = $2 and deleted_at is null and role <> 'operator' returning 1`,
    [clientId, id, timestamp],
  );
  return rows.length === 1;
}
