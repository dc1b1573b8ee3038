import type { Tx } from '../../platform/database/db.ts';
import { listPage, type Paging } from '../../platform/database/list-page.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';

const SECRET_COLUMNS = ['project_id', 'name', 'type', 'key_id', 'sealed'] as const;
const COLUMNS = listOf(SECRET_COLUMNS);

export type SecretRow = RowOf<'inference_secrets', typeof SECRET_COLUMNS>;

export interface NewSecret extends SecretRow {
  readonly timestamp: string;
}

export async function countSecrets(tx: Tx, projectId: number): Promise<number> {
  return tx.number(sql`select count(*)::int as count from inference_secrets where project_id = ${projectId}`);
}

export async function insertSecret(tx: Tx, secret: NewSecret): Promise<void> {
  await tx.run(
    sql`insert into inference_secrets (${COLUMNS}, created_at, updated_at) values (${secret.project_id}, ${secret.name}, ${secret.type}, ${secret.key_id}, ${secret.sealed}, ${secret.timestamp}, ${secret.timestamp})`,
  );
}

/** @returns whether there was one of this name */
export async function replaceSecret(tx: Tx, secret: NewSecret): Promise<boolean> {
  return tx.any(sql`update inference_secrets set type = ${secret.type}, key_id = ${secret.key_id}, sealed = ${secret.sealed}, updated_at = ${secret.timestamp}
      where project_id = ${secret.project_id} and name = ${secret.name} returning 1`);
}

/** @returns whether there was one of this name */
export async function deleteSecret(tx: Tx, projectId: number, name: string): Promise<boolean> {
  return tx.any(
    sql`delete from inference_secrets where project_id = ${projectId} and name = ${name} returning 1`,
  );
}

export async function readSecret(tx: Tx, projectId: number, name: string): Promise<SecretRow | undefined> {
  return tx.row<SecretRow>(
    sql`select ${COLUMNS} from inference_secrets where project_id = ${projectId} and name = ${name}`,
  );
}

/** In the order of names. */
export const listSecrets = (tx: Tx, projectId: number, page: Paging) =>
  listPage<SecretRow>(tx, {
    prepared: true,
    table: 'inference_secrets',
    alias: 's',
    columns: COLUMNS,
    ...page,
    key: 'name',
    where: [sql`project_id = ${projectId}::int`],
    order: 'name',
  });

/** All values that are not under this key yet, locked until the transaction ends. */
export async function lockSecretsNotUnder(tx: Tx, keyId: string): Promise<SecretRow[]> {
  return tx.rows(
    sql`select ${COLUMNS} from inference_secrets where key_id <> ${keyId} order by project_id, name for update`,
  );
}

export async function reencryptSecret(tx: Tx, row: SecretRow): Promise<void> {
  await tx.run(
    sql`update inference_secrets set key_id = ${row.key_id}, sealed = ${row.sealed} where project_id = ${row.project_id} and name = ${row.name}`,
  );
}
