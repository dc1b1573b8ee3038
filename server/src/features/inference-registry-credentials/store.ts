import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { listPage, type Paging } from '../../platform/database/list-page.ts';
import { insertionOf } from '../../platform/database/new-rows.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import { raw, sql } from '../../platform/database/sql.ts';

const TABLE = 'inference_registry_credentials';
const COLUMNS = ['project_id', 'name', 'registry_url', 'username'] as const;
const LISTED = listOf(COLUMNS);
const SEALED_COLUMNS = ['project_id', 'name', 'key_id', 'sealed'] as const;

export type CredentialsRow = RowOf<typeof TABLE, typeof COLUMNS>;
/** The password of one. */
export type SealedRow = RowOf<typeof TABLE, typeof SEALED_COLUMNS>;
export type NewCredentials = CredentialsRow & SealedRow & { readonly timestamp: string };

export async function countCredentials(tx: Tx, projectId: number): Promise<number> {
  return tx.number(sql`select count(*)::int as count from ${raw(TABLE)} where project_id = ${projectId}`);
}

export const insertCredentials = (tx: Tx, { timestamp, ...row }: NewCredentials): Promise<void> =>
  tx.run(insertionOf(TABLE, { ...row, created_at: timestamp, updated_at: timestamp }));

/** @returns whether there were any of this name */
export const replaceCredentials = (tx: Tx, row: NewCredentials): Promise<boolean> =>
  tx.any(sql`update ${raw(TABLE)} set registry_url = ${row.registry_url}, username = ${row.username},
            key_id = ${row.key_id}, sealed = ${row.sealed}, updated_at = ${row.timestamp}
      where project_id = ${row.project_id} and name = ${row.name} returning 1`);

/** @returns whether there were any of this name */
export async function deleteCredentials(tx: Tx, projectId: number, name: string): Promise<boolean> {
  return tx.any(
    sql`delete from ${raw(TABLE)} where project_id = ${projectId} and name = ${name} returning 1`,
  );
}

export const readCredentials = (
  db: Queryable,
  projectId: number,
  name: string,
): Promise<CredentialsRow | undefined> =>
  db.row<CredentialsRow>(
    sql`select ${LISTED} from ${raw(TABLE)} where project_id = ${projectId} and name = ${name}`,
  );

/** In the order of names. */
export const listCredentials = (db: Db, projectId: number, page: Paging) =>
  listPage<CredentialsRow>(db, {
    prepared: true,
    table: TABLE,
    alias: 'c',
    columns: LISTED,
    ...page,
    key: 'name',
    where: [sql`project_id = ${projectId}::int`],
    order: 'name',
  });

/** All passwords that are not under this key yet, locked until the transaction ends. */
export const lockPasswordsNotUnder = (tx: Tx, keyId: string): Promise<SealedRow[]> =>
  tx.rows(
    sql`select ${listOf(SEALED_COLUMNS)} from ${raw(TABLE)} where key_id <> ${keyId} order by project_id, name for update`,
  );

export async function reencryptPassword(
  tx: Tx,
  { project_id, name, key_id, sealed }: SealedRow,
): Promise<void> {
  await tx.run(
    sql`update ${raw(TABLE)} set key_id = ${key_id}, sealed = ${sealed} where project_id = ${project_id} and name = ${name}`,
  );
}
