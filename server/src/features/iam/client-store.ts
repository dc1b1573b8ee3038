import type { Role } from '../../platform/auth/roles.ts';
import type { Db, Queryable } from '../../platform/database/db.ts';

export interface ClientRow {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly status:
    | 'new'
    | 'trial'
    | 'trialend'
    | 'active'
    | 'integration'
    | 'paused'
    | 'preparation'
    | 'ready';
}

export interface UserRow {
  readonly id: number;
  readonly email: string;
  readonly name: string | null;
  readonly lang: 'de' | 'en' | 'ru' | 'zh' | 'az';
  readonly phone: string | null;
  readonly activated: boolean;
  readonly role: Role;
}

export async function readClient(db: Queryable, id: number): Promise<ClientRow | undefined> {
  return db.namedRow<ClientRow>('client_get', 'select id, name, email, status from clients where id = $1', [
    id,
  ]);
}

export async function readUsers(db: Db, clientId: number): Promise<UserRow[]> {
  return db.named<UserRow>(
    'client_users',
    `select u.id, u.email, u.name, u.lang, u.phone, u.password_hash is not null as activated, c.role from client_users c join users u on u.id = c.user_id
      where c.client_id = $1 and u.deleted_at is null order by u.id`,
    [clientId],
  );
}
