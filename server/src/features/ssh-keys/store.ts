import { named } from '../../platform/database/contains.ts';
import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { listPage, type Page } from '../../platform/database/list-page.ts';
import { inserted, insertionOf } from '../../platform/database/new-rows.ts';
import { listOf, pick, type RowOf, without } from '../../platform/database/rows.ts';
import { join, raw, type Sql, sql } from '../../platform/database/sql.ts';
import type { ProjectContext } from '../../platform/http/context.ts';
import { parseOrder } from '../../platform/http/schemas.ts';
import type { KeyPairQuery, SshKeyListQuery } from './schema.ts';

const KEY_COLUMNS = [
  'id',
  'client_id',
  'project_id',
  'user_id',
  'name',
  'public_key',
  'fingerprint',
  'shared_in_project',
  'created_at',
] as const;
const COLUMNS = listOf(KEY_COLUMNS);

export type SshKeyRow = RowOf<'ssh_keys', typeof KEY_COLUMNS>;

/** A key that is not shared is seen by the user alone who made it. */
export interface Viewer {
  readonly projectId: number;
  readonly userId: number;
}

/** What such a viewer sees. */
const visibleTo = ({ projectId, userId }: Viewer): Sql =>
  sql`project_id = ${projectId}::int and (shared_in_project or user_id = ${userId}::int)`;

export const viewerOf = ({ project, caller }: ProjectContext): Viewer => ({
  projectId: project.id,
  userId: caller.userId,
});

export async function insertSshKey(
  tx: Tx,
  key: Omit<SshKeyRow, 'created_at'> & { timestamp: string },
): Promise<SshKeyRow> {
  const row = { created_at: key.timestamp, ...pick(key, without(KEY_COLUMNS, ['created_at'])) };
  const insertion = insertionOf('ssh_keys', row, COLUMNS);
  return inserted(await tx.row<SshKeyRow>(insertion));
}

/** The key of this id, if the viewer may use it. */
export const readSshKey = (db: Queryable, id: string, viewer: Viewer) => findBy(db, 'id', id, viewer);

/** The key of this name, if the viewer may use it. */
export const findSshKey = (db: Queryable, name: string, viewer: Viewer) => findBy(db, 'name', name, viewer);

const findBy = (db: Queryable, column: 'id' | 'name', value: string, viewer: Viewer) =>
  db.row<SshKeyRow>(
    sql`select ${COLUMNS} from ssh_keys where ${raw(column)} = ${value} and ${visibleTo(viewer)}`,
  );

/** The project of a key, wherever it is. */
export async function readProjectOfKey(
  db: Queryable,
  id: string,
  clientId: number,
): Promise<number | undefined> {
  const [row] = await db.rows<{ project_id: number }>(
    sql`select project_id from ssh_keys where id = ${id} and client_id = ${clientId}`,
  );
  return row?.project_id;
}

/** Those of `ids` that the viewer may use. */
export async function findSshKeyIds(
  db: Queryable,
  ids: readonly string[],
  viewer: Viewer,
): Promise<readonly string[]> {
  const rows = await db.rows<{ id: string }>(
    sql`select id from ssh_keys where id = any(${ids}::uuid[]) and ${visibleTo(viewer)}`,
  );
  return rows.map(({ id }) => id);
}

export function listSshKeys(db: Db, viewer: Viewer, query: SshKeyListQuery): Promise<Page<SshKeyRow>> {
  const { name, name__contains: namePart, order_by: order, limit, offset } = query;
  const { field, direction } = parseOrder<'created_at' | 'name'>(order);
  return listPage<SshKeyRow>(db, {
    table: 'ssh_keys',
    alias: 'k',
    columns: COLUMNS,
    limit,
    offset,
    where: [visibleTo(viewer), ...named({ name, namePart })],
    order: `${field} ${direction}, id ${direction}`,
  });
}

/** The keys that a user sees in all projects of the client, or in one; newest first. */
export async function listKeysOfClient(
  db: Db,
  clientId: number,
  viewerId: number,
  { project_id: projectId, user_id: userId }: KeyPairQuery,
  limit: number,
): Promise<SshKeyRow[]> {
  const conditions = [
    sql`client_id = ${clientId}::int and (shared_in_project or user_id = ${viewerId}::int)`,
    ...(projectId === null ? [] : [sql`project_id = ${projectId}::int`]),
    ...(userId === null ? [] : [sql`user_id = ${userId}::int`]),
  ];
  return db.rows<SshKeyRow>(sql`select ${COLUMNS} from ssh_keys
    where ${join(conditions, ' and ')} order by created_at desc, id desc limit ${limit}::int`);
}

export async function shareSshKey(tx: Tx, id: string, viewer: Viewer, shared: boolean) {
  return tx.row<SshKeyRow>(sql`update ssh_keys set shared_in_project = ${shared}
      where id = ${id} and ${visibleTo(viewer)} returning ${COLUMNS}`);
}

export async function deleteSshKey(tx: Tx, id: string, viewer: Viewer): Promise<boolean> {
  return tx.any(sql`delete from ssh_keys where id = ${id} and ${visibleTo(viewer)} returning 1`);
}
