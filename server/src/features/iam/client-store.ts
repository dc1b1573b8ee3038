import type { Role } from '../../platform/auth/roles.ts';
import type { Db, Queryable } from '../../platform/database/db.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';
import { hasSecondFactor } from './factor-store.ts';
import type { Lang } from './user-store.ts';

const CLIENT_COLUMNS = ['id', 'name', 'email', 'status'] as const;

export type ClientRow = RowOf<
  'clients',
  typeof CLIENT_COLUMNS,
  {
    status: 'new' | 'trial' | 'trialend' | 'active' | 'integration' | 'paused' | 'preparation' | 'ready';
  }
>;

const USER_COLUMNS = ['id', 'email', 'name', 'lang', 'phone'] as const;

export interface UserRow extends RowOf<'users', typeof USER_COLUMNS, { lang: Lang }> {
  readonly activated: boolean;
  readonly two_fa: boolean;
  readonly role: Role;
}

export async function readClient(db: Queryable, id: number): Promise<ClientRow | undefined> {
  return db.row<ClientRow>(sql`select ${listOf(CLIENT_COLUMNS)} from clients where id = ${id}`);
}

export async function readUsers(db: Db, clientId: number): Promise<UserRow[]> {
  return db.rows<UserRow>(sql`
    select ${listOf(USER_COLUMNS, 'u')}, u.password_hash is not null as activated, c.role,
            ${hasSecondFactor(sql`u.id`)} as two_fa from client_users c join users u on u.id = c.user_id
      where c.client_id = ${clientId} and u.deleted_at is null order by u.id`);
}

export const countClients = (db: Db): Promise<number> => db.number(sql`select count(*) from clients`);
