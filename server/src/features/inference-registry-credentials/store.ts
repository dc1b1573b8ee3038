import { sql } from 'kysely';
import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { listPage, type Paging } from '../../platform/database/list-page.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';

const TABLE = 'inference_registry_credentials';
const COLUMNS = ['project_id', 'name', 'registry_url', 'username'] as const;
const LISTED = listOf(COLUMNS);
const SEALED_COLUMNS = ['project_id', 'name', 'key_id', 'sealed'] as const;

export type CredentialsRow = RowOf<typeof TABLE, typeof COLUMNS>;
/** The password of one. */
export type SealedRow = RowOf<typeof TABLE, typeof SEALED_COLUMNS>;
export type NewCredentials = CredentialsRow & SealedRow & { readonly timestamp: string };

const valuesOf = ({
  project_id,
  name,
  registry_url,
  username,
  key_id,
  sealed,
  timestamp,
}: NewCredentials) => [...[project_id, name, registry_url, username], ...[key_id, sealed, timestamp]];

export async function countCredentials(tx: Tx, projectId: number): Promise<number> {
  return tx.namedNumber(
    `${TABLE}_kept`,
    `select count(*)::int as count from ${TABLE} where project_id = $1`,
    [projectId],
  );
}

export async function insertCredentials(tx: Tx, credentials: NewCredentials): Promise<void> {
  await tx.named(
    `${TABLE}_insert`,
    `insert into ${TABLE} (${LISTED}, key_id, sealed, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7)`,
    valuesOf(credentials),
  );
}

/** @returns whether there were any of this name */
export async function replaceCredentials(tx: Tx, credentials: NewCredentials): Promise<boolean> {
  return tx.namedAny(
    `${TABLE}_replace`,
    `update ${TABLE} set registry_url = $3, username = $4, key_id = $5, sealed = $6, updated_at = $7
      where project_id = $1 and name = $2 returning 1`,
    valuesOf(credentials),
  );
}

/** @returns whether there were any of this name */
export async function deleteCredentials(tx: Tx, projectId: number, name: string): Promise<boolean> {
  return tx.namedAny(
    `${TABLE}_delete`,
    `delete from ${TABLE} where project_id = $1 and name = $2 returning 1`,
    [projectId, name],
  );
}

export const readCredentials = (
  db: Queryable,
  projectId: number,
  name: string,
): Promise<CredentialsRow | undefined> =>
  db.namedRow<CredentialsRow>(
    `${TABLE}_get`,
    `select ${LISTED} from ${TABLE} where project_id = $1 and name = $2`,
    [projectId, name],
  );

/** In the order of names. */
export const listCredentials = (db: Db, projectId: number, page: Paging) =>
  listPage<CredentialsRow>(db, {
    ...{ name: `${TABLE}_list`, table: TABLE, alias: 'c', columns: LISTED, ...page },
    key: 'name',
    where: [sql`project_id = ${projectId}::int`],
    order: 'name',
  });

/** All passwords that are not under this key yet, locked until the transaction ends. */
export const lockPasswordsNotUnder = (tx: Tx, keyId: string): Promise<SealedRow[]> =>
  tx.named(
    `${TABLE}_old_keys`,
    `select ${listOf(SEALED_COLUMNS)} from ${TABLE} where key_id <> $1 order by project_id, name for update`,
    [keyId],
  );

export async function reencryptPassword(
  tx: Tx,
  { project_id, name, key_id, sealed }: SealedRow,
): Promise<void> {
  await tx.named(
    `${TABLE}_reencrypt`,
    `update ${TABLE} set key_id = $3, sealed = $4 where project_id = $1 and name = $2`,
    [project_id, name, key_id, sealed],
  );
}
