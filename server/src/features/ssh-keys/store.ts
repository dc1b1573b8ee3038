import { sql } from 'kysely';
import { named } from '../../platform/database/contains.ts';
import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { listPage, type Page } from '../../platform/database/list-page.ts';
import { inserted, insertionOf } from '../../platform/database/new-rows.ts';
import { listOf, pick, type RowOf, without } from '../../platform/database/rows.ts';
import type { ProjectContext } from '../../platform/http/context.ts';
import { parseOrder } from '../../platform/http/schemas.ts';
import type { KeyPairQuery, SshKeyListQuery } from './schema.ts';

const KEY_COLUMNS = [
  ...(['id', 'client_id', 'project_id', 'user_id', 'name', 'public_key', 'fingerprint'] as const),
  ...(['shared_in_project', 'created_at'] as const),
] as const;
const COLUMNS = listOf(KEY_COLUMNS);

export type SshKeyRow = RowOf<'ssh_keys', typeof KEY_COLUMNS>;

/** A key that is not shared is seen by the user alone who made it. */
export interface Viewer {
  readonly projectId: number;
  readonly userId: number;
}

/** What such a viewer sees; $2 and $3 are the viewer. */
const VISIBLE = 'project_id = $2 and (shared_in_project or user_id = $3)';

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
  return inserted(await tx.namedRow<SshKeyRow>('ssh_key_insert', ...insertion));
}

/** The key of this id, if the viewer may use it. */
export const readSshKey = (db: Queryable, id: string, viewer: Viewer) => findBy(db, 'id', id, viewer);

/** The key of this name, if the viewer may use it. */
export const findSshKey = (db: Queryable, name: string, viewer: Viewer) => findBy(db, 'name', name, viewer);

const findBy = (db: Queryable, column: 'id' | 'name', value: string, { projectId, userId }: Viewer) =>
  db.namedRow<SshKeyRow>(
    `ssh_key_find_by_${column}`,
    `select ${COLUMNS} from ssh_keys where ${column} = $1 and ${VISIBLE}`,
    [value, projectId, userId],
  );

/** The project of a key, wherever it is. */
export async function readProjectOfKey(
  db: Queryable,
  id: string,
  clientId: number,
): Promise<number | undefined> {
  const [row] = await db.named<{ project_id: number }>(
    'ssh_key_project',
    'select project_id from ssh_keys where id = $1 and client_id = $2',
    [id, clientId],
  );
  return row?.project_id;
}

/** Those of `ids` that the viewer may use. */
export async function findSshKeyIds(
  db: Queryable,
  ids: readonly string[],
  viewer: Viewer,
): Promise<readonly string[]> {
  const rows = await db.named<{ id: string }>(
    'ssh_key_find_ids',
    `select id from ssh_keys where id = any($1::uuid[]) and ${VISIBLE}`,
    [ids, viewer.projectId, viewer.userId],
  );
  return rows.map(({ id }) => id);
}

export function listSshKeys(db: Db, viewer: Viewer, query: SshKeyListQuery): Promise<Page<SshKeyRow>> {
  const { name, name__contains: namePart, order_by: order, limit, offset } = query;
  const { field, direction } = parseOrder<'created_at' | 'name'>(order);
  return listPage<SshKeyRow>(db, {
    ...{ table: 'ssh_keys', alias: 'k', columns: COLUMNS, limit, offset },
    where: [
      sql`project_id = ${viewer.projectId}::int and (shared_in_project or user_id = ${viewer.userId}::int)`,
      ...named({ name, namePart }),
    ],
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
  const page = sql<SshKeyRow>`select ${sql.raw(COLUMNS)} from ssh_keys
    where ${sql.join(conditions, sql` and `)} order by created_at desc, id desc limit ${limit}::int`;
  return (await page.execute(db.kysely)).rows;
}

export async function shareSshKey(tx: Tx, id: string, viewer: Viewer, shared: boolean) {
  return tx.namedRow<SshKeyRow>(
    'ssh_key_share',
    `update ssh_keys set shared_in_project = $4
      where id = $1 and ${VISIBLE} returning ${COLUMNS}`,
    [id, viewer.projectId, viewer.userId, shared],
  );
}

export async function deleteSshKey(tx: Tx, id: string, viewer: Viewer): Promise<boolean> {
  return tx.namedAny('ssh_key_delete', `delete from ssh_keys where id = $1 and ${VISIBLE} returning 1`, [
    id,
    viewer.projectId,
    viewer.userId,
  ]);
}
