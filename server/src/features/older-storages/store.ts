import type { Db, Queryable } from '../../platform/database/db.ts';
import { listPage, type Page, type Paging } from '../../platform/database/list-page.ts';
import { type Sql, sql } from '../../platform/database/sql.ts';
import type { StorageStatus } from '../object-storage/index.ts';
import type { SftpSettings } from '../sftp-storages/index.ts';
import type { StorageType } from './schema.ts';

/** SQL of storages of both kinds together. */

export interface OlderRow {
  readonly type: StorageType;
  readonly id: number;
  readonly client_id: number;
  readonly name: string;
  readonly status: StorageStatus;
  readonly location: string;
  readonly address: string | null;
  readonly created_at: Date;
  readonly deleted_at: Date | null;
  readonly can_restore: boolean;
  /** Of an SFTP storage. */
  readonly settings: SftpSettings | null;
}

const both = (clientId: number): Sql => sql`
  select 's3_compatible' as type, s.id, s.client_id, s.name, s.status, r.slug as location, s.address, s.created_at,
         s.deleted_at, s.status = 'deleted' and s.purged_at is null as can_restore, null::jsonb as settings
    from object_storages s join regions r on r.id = s.region_id where s.client_id = ${clientId}::int
  union all
  select 'sftp', s.id, s.client_id, s.name, s.status, r.slug, s.address, s.created_at, s.deleted_at, false, s.settings
    from sftp_storages s join regions r on r.id = s.region_id where s.client_id = ${clientId}::int`;

/** Those of this id; of each kind there may be one that is older than the numbers that both share. */
export async function readStorages(
  db: Queryable,
  clientId: number,
  id: number,
): Promise<readonly OlderRow[]> {
  return db.rows<OlderRow>(sql`select * from (${both(clientId)}) s where id = ${id}::int`);
}

const ORDERS: Readonly<Record<string, string>> = {
  created_at: 'created_at',
  id: 'id',
  location: 'location',
  name: 'name',
  status: 'status',
  type: 'type',
};
export const ORDER_FIELDS = Object.keys(ORDERS);

export interface OlderFilter extends Paging {
  readonly clientId: number;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly location?: string | undefined;
  readonly type?: StorageType | undefined;
  readonly status?: StorageStatus | undefined;
  readonly showDeleted: boolean;
  /** One of `ORDER_FIELDS`. */
  readonly by: string;
  readonly down: boolean;
}

export function listStorages(db: Db, filter: OlderFilter): Promise<Page<OlderRow>> {
  const { id, name, location, type, status, showDeleted, limit, offset } = filter;
  const where = [
    ...(id ? [sql`id::text = ${id}`] : []),
    ...(name ? [sql`${name} in (name, client_id || '-' || name)`] : []),
    ...(location ? [sql`location = ${location}`] : []),
    ...(type ? [sql`type = ${type}`] : []),
    ...(status ? [sql`status = ${status}`] : []),
    ...(showDeleted || status === 'deleted' ? [] : [sql`status <> 'deleted'`]),
  ];
  const down = filter.down ? ' desc' : '';
  return listPage<OlderRow>(db, {
    table: 'storages',
    rows: both(filter.clientId),
    alias: 's',
    columns: sql`s.*`,
    where,
    limit,
    offset,
    order: `${ORDERS[filter.by] ?? 'created_at'}${down}, id${down}`,
  });
}
