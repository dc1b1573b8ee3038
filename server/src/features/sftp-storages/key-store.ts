import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { listPage, type Paging } from '../../platform/database/list-page.ts';
import { inserted } from '../../platform/database/new-rows.ts';
import { listOf } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';
import { KEY_COLUMNS, type SshKeyRow } from './model.ts';

/** SQL of the SSH keys that open SFTP storages. */

const COLUMNS = listOf(KEY_COLUMNS);

/** Those of these ids that there are, in the order of their ids. */
export async function readKeys(
  db: Queryable,
  clientId: number,
  ids: readonly number[],
): Promise<SshKeyRow[]> {
  if (ids.length === 0) return [];
  return db.rows<SshKeyRow>(
    sql`select ${COLUMNS} from storage_ssh_keys where client_id = ${clientId} and id = any(${ids}::int[]) order by id`,
  );
}

export interface KeyFilter extends Paging {
  readonly clientId: number;
  readonly name: string | null;
  readonly order: string;
}

export const KEY_ORDER_FIELDS = ['created_at', 'id', 'name'] as const;

/** Those of an account, with this name if one is given. */
export function listKeys(db: Db, { clientId, name, order, limit, offset }: KeyFilter) {
  const [field = '', direction = ''] = order.split('.');
  const column = KEY_ORDER_FIELDS.find((each) => each === field) ?? 'created_at';
  const down = direction === 'desc' ? 'desc' : 'asc';
  return listPage<SshKeyRow>(db, {
    table: 'storage_ssh_keys',
    alias: 'k',
    columns: COLUMNS,
    limit,
    offset,
    where: [sql`client_id = ${clientId}::int`, ...(name === null ? [] : [sql`name = ${name}`])],
    order: `${column} ${down}, id ${down}`,
  });
}

/** How many an account has. The caller holds the client. */
export async function countKeys(tx: Tx, clientId: number): Promise<number> {
  return tx.number(sql`select count(*)::int as count from storage_ssh_keys where client_id = ${clientId}`);
}

export async function insertKey(
  tx: Tx,
  key: Pick<SshKeyRow, 'client_id' | 'name' | 'public_key'>,
  timestamp: string,
): Promise<SshKeyRow> {
  const [row] =
    await tx.rows<SshKeyRow>(sql`insert into storage_ssh_keys (client_id, name, public_key, created_at) values (${key.client_id}, ${key.name}, ${key.public_key}, ${timestamp})
     returning ${COLUMNS}`);
  return inserted(row);
}

/** @returns false when it is gone already */
export async function deleteKey(tx: Tx, clientId: number, id: number): Promise<boolean> {
  return tx.any(sql`delete from storage_ssh_keys where client_id = ${clientId} and id = ${id} returning id`);
}
