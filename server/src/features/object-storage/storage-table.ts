import { type AttentionSource, MOST_OF_ONE } from '../../platform/attention/source.ts';
import { contains } from '../../platform/database/contains.ts';
import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { listPage, type Page, type Paging } from '../../platform/database/list-page.ts';
import { insertionOf } from '../../platform/database/new-rows.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import { raw, type Sql, sql } from '../../platform/database/sql.ts';
import { noteLeftover } from '../../platform/owners/leftover-store.ts';
import type { SearchSource } from '../../platform/search/source.ts';
import type { StorageStatus } from './model.ts';

/** What storages of every kind keep. */
const COLUMNS = [
  'id',
  'client_id',
  'region_id',
  'name',
  'status',
  'address',
  'task_id',
  'creator_task_id',
  'created_at',
  'status_reason',
] as const;

export interface AnyStorageRow extends RowOf<'object_storages', typeof COLUMNS, { status: StorageStatus }> {
  /** Name of its location. */
  readonly location: string;
}

export interface NewStorage {
  readonly clientId: number;
  readonly regionId: number;
  readonly name: string;
  readonly taskId: string;
  readonly timestamp: string;
}

export interface StorageFilter extends Paging {
  readonly clientId: number;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly namePart?: string | undefined;
  readonly location?: string | undefined;
  readonly status?: StorageStatus | undefined;
  readonly showDeleted: boolean;
  /** A field of `ORDER_FIELDS` and a direction: `name.asc`. */
  readonly order: string;
}

/** Orders that lists can have, by their name on the wire. */
const ORDERS: Readonly<Record<string, string>> = {
  created_at: 's.created_at',
  id: 's.id',
  name: 's.name',
  location_name: '(select slug from regions where id = s.region_id)',
  provisioning_status: 's.status',
};
export const ORDER_FIELDS = Object.keys(ORDERS);

/** How a search finds storages of a kind: a deleted one is shown in its list alone. */
export const searchedStorages = (kind: string, table: 'object_storages' | 'sftp_storages'): SearchSource => ({
  kind,
  table,
  idType: 'integer',
  owner: 'client',
  project: null,
  status: 's.status',
  where: () => sql`s.status <> 'deleted'`,
});

/** SQL that storages of all kinds share. A storage belongs to an account, and `task_id` names the task that holds it.
 *  @param columns what this kind keeps beside `AnyStorageRow` */
export function storageTable<Row extends AnyStorageRow>(
  table: 'object_storages' | 'sftp_storages',
  columns: readonly string[],
) {
  const all = sql`${listOf([...COLUMNS, ...columns], 's')}, r.slug as location`;
  const kind = table === 'sftp_storages' ? 'sftp_storage' : 'object_storage';
  /** Rows as `s`; what follows says which. */
  const select = sql`select ${all} from ${raw(table)} s join regions r on r.id = s.region_id`;
  const isThere = sql`s.address is not null and s.task_id is null and s.status = 'active'`;
  const isPaused = sql`exists (select from clients c where c.id = s.client_id and c.data_planes_stopped)`;
  const shouldRun = sql`${isThere} and not ${isPaused}`;

  return {
    select,

    /** A storage that its task makes. @returns its id */
    async insert(tx: Tx, storage: NewStorage, more: { readonly settings?: string } = {}): Promise<number> {
      const { clientId: client_id, regionId: region_id, taskId: task_id, name } = storage;
      const row = { client_id, region_id, name, task_id, creator_task_id: task_id, ...more };
      const insertion = insertionOf(
        table,
        { ...row, status: 'creating', created_at: storage.timestamp },
        sql`id`,
      );
      return tx.number(insertion);
    },

    async find(db: Queryable, clientId: number, id: number): Promise<Row | undefined> {
      const [row] = await db.rows<Row>(sql`${select} where s.client_id = ${clientId} and s.id = ${id}`);
      return row;
    },

    /** The storage, locked until the transaction ends. */
    async lock(tx: Tx, clientId: number, id: number): Promise<Row | undefined> {
      const [row] = await tx.rows<Row>(
        sql`${select} where s.client_id = ${clientId} and s.id = ${id} for update of s`,
      );
      return row;
    },

    /** The storage that a task holds. */
    async held(db: Queryable, taskId: string): Promise<Row | undefined> {
      const [row] = await db.rows<Row>(sql`${select} where s.task_id = ${taskId}`);
      return row;
    },

    /** Ids of the storages of a region that should run. */
    async runningIds(db: Db, regionId: number): Promise<string[]> {
      const rows = await db.rows<{ id: number }>(
        sql`select s.id from ${raw(table)} s where s.region_id = ${regionId} and ${shouldRun} order by s.id`,
      );
      return rows.map(({ id }) => String(id));
    },

    /** Ids of those that serve nobody, since their clients are suspended. */
    async pausedIds(db: Db, regionId: number): Promise<string[]> {
      const rows = await db.rows<{ id: number }>(
        sql`select s.id from ${raw(table)} s where s.region_id = ${regionId} and ${isThere} and ${isPaused} order by s.id`,
      );
      return rows.map(({ id }) => String(id));
    },

    /** The storage, if it should run now. */
    async findRunning(db: Db, id: string): Promise<Row | undefined> {
      const [row] = await db.rows<Row>(sql`${select} where s.id = ${Number(id)} and ${shouldRun}`);
      return row;
    },

    /** Writes why a storage does not serve; null: it does.
     *  @returns whether that is news */
    async setReason(db: Db, id: number, reason: string | null): Promise<boolean> {
      return db.any(sql`update ${raw(table)} set status_reason = ${reason}
          where id = ${id} and status_reason is distinct from ${reason} returning id`);
    },

    /** Those of an account that do not serve. */
    inNeed: (async (db, { clientId }) => {
      const rows = await db.rows<{ id: number; name: string; region_id: number; reason: string }>(
        sql`select id, name, region_id, status_reason as reason from ${raw(table)}
             where client_id = ${clientId} and status = 'active' and status_reason is not null
             order by id limit ${MOST_OF_ONE}`,
      );
      return rows.map(({ id, name, region_id: regionId, reason }) => ({
        kind,
        id: String(id),
        name,
        regionId,
        severity: 'failed' as const,
        reason,
        since: null,
      }));
    }) satisfies AttentionSource,

    /** The page, and how many match in all. */
    list(db: Db, filter: StorageFilter): Promise<Page<Row>> {
      const [field = '', direction = ''] = filter.order.split('.');
      const down = direction === 'desc' ? 'desc' : 'asc';
      return listPage<Row>(db, {
        table,
        alias: 's',
        columns: all,
        joins: sql`left join regions r on r.id = s.region_id`,
        where: conditionsOf(filter),
        order: `${ORDERS[field] ?? ORDERS.created_at} ${down}, s.id ${down}`,
        limit: filter.limit,
        offset: filter.offset,
      });
    },

    /** How many a client has that are not deleted. The caller has locked the client. */
    async count(tx: Tx, clientId: number): Promise<number> {
      return tx.number(
        sql`select count(*)::int as count from ${raw(table)} where client_id = ${clientId} and status <> 'deleted'`,
      );
    },

    /** Gives a storage, which the caller has locked, to a task. */
    async hold(tx: Tx, id: number, taskId: string, status: StorageStatus): Promise<void> {
      await tx.run(
        sql`update ${raw(table)} set task_id = ${taskId}, status = ${status}, version = version + 1 where id = ${id}`,
      );
    },

    async setAddress(db: Queryable, id: number, taskId: string, address: string): Promise<void> {
      await db.run(
        sql`update ${raw(table)} set address = ${address} where id = ${id} and task_id = ${taskId}`,
      );
    },

    /** Ends the hold of a task on a storage that is deleted now, or still. */
    async settleDeleted(tx: Tx, id: number, taskId: string, timestamp: string): Promise<void> {
      if (table === 'sftp_storages') await this.noteGone(tx, id);
      await tx.run(sql`update ${raw(table)} set task_id = null, status = 'deleted', address = null, version = version + 1, status_reason = null,
         deleted_at = coalesce(deleted_at, ${timestamp}::timestamptz) where id = ${id} and task_id = ${taskId}`);
    },

    /** Removes a storage that never came to be, which the task holds. */
    async remove(tx: Tx, id: number, taskId: string): Promise<void> {
      await this.noteGone(tx, id);
      await tx.run(sql`delete from ${raw(table)} where id = ${id} and task_id = ${taskId}`);
    },

    /** Its files may be on another machine that has served its region, and nothing of it is to stay there. */
    async noteGone(db: Queryable, id: number): Promise<void> {
      const row = await db.row<{ region_id: number; creator: string | null }>(
        sql`select region_id, creator_task_id as creator from ${raw(table)} where id = ${id}`,
      );
      // Of those that an older version made nothing tells them from what another database has left here.
      if (row?.creator) await noteLeftover(db, row.region_id, { kind, id: String(id), creator: row.creator });
    },
  };
}

export type StorageTable<Row extends AnyStorageRow> = ReturnType<typeof storageTable<Row>>;

function conditionsOf(filter: StorageFilter): Sql[] {
  const { clientId, id, name, namePart, location, status, showDeleted } = filter;
  const where = [sql`s.client_id = ${clientId}::int`];
  if (id) where.push(sql`s.id::text = ${id}`);
  if (name) where.push(sql`s.name = ${name}`);
  if (namePart) where.push(contains(sql`s.name`, namePart));
  if (location) where.push(sql`s.region_id in (select id from regions where slug = ${location})`);
  if (status) where.push(sql`s.status = ${status}`);
  if (!showDeleted && status !== 'deleted') where.push(sql`s.status <> 'deleted'`);
  return where;
}
