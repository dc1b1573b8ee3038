import { type RawBuilder, sql } from 'kysely';
import { contains } from '../../platform/database/contains.ts';
import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { listPage, type Page, type Paging } from '../../platform/database/list-page.ts';
import { insertionOf } from '../../platform/database/new-rows.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import type { SearchSource } from '../../platform/search/source.ts';
import type { StorageStatus } from './model.ts';

/** What storages of every kind keep. */
const COLUMNS = [
  ...(['id', 'client_id', 'region_id', 'name', 'status', 'address', 'task_id', 'created_at'] as const),
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
  const all = `${listOf([...COLUMNS, ...columns], 's')}, r.slug as location`;
  /** Rows as `s`; what follows says which. */
  const select = `select ${all} from ${table} s join regions r on r.id = s.region_id`;
  const isThere = `s.address is not null and s.task_id is null and s.status = 'active'`;
  const isPaused = 'exists (select from clients c where c.id = s.client_id and c.data_planes_stopped)';
  const shouldRun = `${isThere} and not ${isPaused}`;

  return {
    select,

    /** A storage that its task makes. @returns its id */
    async insert(tx: Tx, storage: NewStorage, more: { readonly settings?: string } = {}): Promise<number> {
      const { clientId: client_id, regionId: region_id, taskId: task_id, name } = storage;
      const row = { ...{ client_id, region_id, name, task_id }, ...more };
      const insertion = insertionOf(
        table,
        { ...row, status: 'creating', created_at: storage.timestamp },
        'id',
      );
      return tx.namedNumber(`${table}_insert`, ...insertion);
    },

    async find(db: Queryable, clientId: number, id: number): Promise<Row | undefined> {
      const text = `${select} where s.client_id = $1 and s.id = $2`;
      const [row] = await db.named<Row>(`${table}_find`, text, [clientId, id]);
      return row;
    },

    /** The storage, locked until the transaction ends. */
    async lock(tx: Tx, clientId: number, id: number): Promise<Row | undefined> {
      const text = `${select} where s.client_id = $1 and s.id = $2 for update of s`;
      const [row] = await tx.named<Row>(`${table}_lock`, text, [clientId, id]);
      return row;
    },

    /** The storage that a task holds. */
    async held(db: Queryable, taskId: string): Promise<Row | undefined> {
      const [row] = await db.named<Row>(`${table}_held`, `${select} where s.task_id = $1`, [taskId]);
      return row;
    },

    /** Ids of the storages of a region that should run. */
    async runningIds(db: Db, regionId: number): Promise<string[]> {
      const text = `select s.id from ${table} s where s.region_id = $1 and ${shouldRun} order by s.id`;
      const rows = await db.named<{ id: number }>(`${table}_running`, text, [regionId]);
      return rows.map(({ id }) => String(id));
    },

    /** Ids of those that serve nobody, since their clients are suspended. */
    async pausedIds(db: Db, regionId: number): Promise<string[]> {
      const text = `select s.id from ${table} s where s.region_id = $1 and ${isThere} and ${isPaused} order by s.id`;
      const rows = await db.named<{ id: number }>(`${table}_paused`, text, [regionId]);
      return rows.map(({ id }) => String(id));
    },

    /** The storage, if it should run now. */
    async findRunning(db: Db, id: string): Promise<Row | undefined> {
      const [row] = await db.named<Row>(
        `${table}_find_running`,
        `${select} where s.id = $1 and ${shouldRun}`,
        [Number(id)],
      );
      return row;
    },

    /** The page, and how many match in all. */
    list(db: Db, filter: StorageFilter): Promise<Page<Row>> {
      const [field = '', direction = ''] = filter.order.split('.');
      const down = direction === 'desc' ? 'desc' : 'asc';
      return listPage<Row>(db, {
        ...{ table, alias: 's', columns: all, joins: 'left join regions r on r.id = s.region_id' },
        where: conditionsOf(filter),
        order: `${ORDERS[field] ?? ORDERS.created_at} ${down}, s.id ${down}`,
        ...{ limit: filter.limit, offset: filter.offset },
      });
    },

    /** How many a client has that are not deleted. The caller has locked the client. */
    async count(tx: Tx, clientId: number): Promise<number> {
      const text = `select count(*)::int as count from ${table} where client_id = $1 and status <> 'deleted'`;
      return tx.namedNumber(`${table}_count`, text, [clientId]);
    },

    /** Gives a storage, which the caller has locked, to a task. */
    async hold(tx: Tx, id: number, taskId: string, status: StorageStatus): Promise<void> {
      const text = `update ${table} set task_id = $2, status = $3, version = version + 1 where id = $1`;
      await tx.named(`${table}_hold`, text, [id, taskId, status]);
    },

    async setAddress(db: Queryable, id: number, taskId: string, address: string): Promise<void> {
      const text = `update ${table} set address = $3 where id = $1 and task_id = $2`;
      await db.named(`${table}_address`, text, [id, taskId, address]);
    },

    /** Ends the hold of a task on a storage that is deleted now, or still. */
    async settleDeleted(tx: Tx, id: number, taskId: string, timestamp: string): Promise<void> {
      const text = `update ${table} set task_id = null, status = 'deleted', address = null, version = version + 1,
         deleted_at = coalesce(deleted_at, $3::timestamptz) where id = $1 and task_id = $2`;
      await tx.named(`${table}_settle_deleted`, text, [id, taskId, timestamp]);
    },

    /** Removes a storage that never came to be, which the task holds. */
    async remove(tx: Tx, id: number, taskId: string): Promise<void> {
      const text = `delete from ${table} where id = $1 and task_id = $2`;
      await tx.named(`${table}_remove`, text, [id, taskId]);
    },
  };
}

export type StorageTable<Row extends AnyStorageRow> = ReturnType<typeof storageTable<Row>>;

function conditionsOf(filter: StorageFilter): RawBuilder<unknown>[] {
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
