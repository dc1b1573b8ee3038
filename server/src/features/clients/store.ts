import { NotFound } from '../../kernel/errors.ts';
import { contains } from '../../platform/database/contains.ts';
import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { listPage, type Page } from '../../platform/database/list-page.ts';
import { inserted } from '../../platform/database/new-rows.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';
import type { OperatorClientQuery } from './schema.ts';

const CLIENT_COLUMNS = [
  'id',
  'name',
  'email',
  'status',
  'created_at',
  'suspended_at',
  'suspend_reason',
  'data_planes_stopped',
  'task_id',
] as const;
const COLUMNS = listOf(CLIENT_COLUMNS);

export type ClientRow = RowOf<'clients', typeof CLIENT_COLUMNS, { status: 'active' | 'paused' }>;

export async function insertClient(
  tx: Tx,
  client: { readonly name: string; readonly email: string; readonly timestamp: string },
): Promise<ClientRow> {
  const [row] = await tx.rows<ClientRow>(
    sql`insert into clients (name, email, created_at) values (${client.name}, ${client.email}, ${client.timestamp}) returning ${COLUMNS}`,
  );
  return inserted(row);
}

export const listClients = (
  db: Db,
  { name, status, limit, offset }: OperatorClientQuery,
): Promise<Page<ClientRow>> =>
  listPage<ClientRow>(db, {
    table: 'clients',
    alias: 'a',
    columns: COLUMNS,
    limit,
    offset,
    order: 'id',
    where: [
      ...(name === undefined ? [] : [contains(sql`name`, name)]),
      ...(status === undefined ? [] : [sql`status = ${status}`]),
    ],
  });

/** @throws NotFound */
export async function readClient(db: Queryable, id: number): Promise<ClientRow> {
  const row = await db.row<ClientRow>(sql`select ${COLUMNS} from clients where id = ${id}`);
  if (!row) throw new NotFound(`Client ${id} was not found`);
  return row;
}

/** Locked against every other change until the transaction ends.
 *  @throws NotFound */
export async function lockClient(tx: Tx, id: number): Promise<ClientRow> {
  const row = await tx.row<ClientRow>(sql`select ${COLUMNS} from clients where id = ${id} for no key update`);
  if (!row) throw new NotFound(`Client ${id} was not found`);
  return row;
}

export async function updateClient(
  tx: Tx,
  id: number,
  { name, email }: { readonly name: string; readonly email: string },
): Promise<void> {
  await tx.run(sql`update clients set name = ${name}, email = ${email} where id = ${id}`);
}

/** @param suspension null: it is resumed */
export async function setSuspension(
  tx: Tx,
  id: number,
  suspension: { readonly at: string; readonly reason: string; readonly stopped: boolean } | null,
): Promise<void> {
  await tx.run(sql`update clients set status = case when ${suspension?.reason ?? null}::text is null then 'active' else 'paused' end,
            suspended_at = ${suspension?.at ?? null}::timestamptz, suspend_reason = ${suspension?.reason ?? null}::text, data_planes_stopped = ${suspension?.stopped ?? false}::boolean
      where id = ${id}`);
}

/** @param taskId the task that deletes it; null: none does */
export async function holdClient(tx: Tx, id: number, taskId: string | null): Promise<void> {
  await tx.run(sql`update clients set task_id = ${taskId} where id = ${id}`);
}

/** Whether the cloud itself is run with a token of the client. */
export const runsTheCloud = (tx: Tx, id: number): Promise<boolean> =>
  tx.any(
    sql`select 1 from api_tokens where client_id = ${id} and role in ('operator', 'reporter') and deleted_at is null limit 1`,
  );

/** Whether something of the client is still being done. */
export const hasActiveTasks = (db: Queryable, id: number): Promise<boolean> =>
  db.any(sql`select 1 from tasks_active where client_id = ${id} and finished_at is null limit 1`);

/** Deleted storages whose files are still there. */
export const countUnpurged = (db: Queryable, id: number): Promise<number> =>
  db.number(
    sql`select count(*) as count from object_storages where client_id = ${id} and files_gone_at is null`,
  );
