import { sql } from 'kysely';
import type { Tx } from '../../platform/database/db.ts';
import { listPage, type Paging } from '../../platform/database/list-page.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';

const SECRET_COLUMNS = ['project_id', 'name', 'type', 'key_id', 'sealed'] as const;
const COLUMNS = listOf(SECRET_COLUMNS);

export type SecretRow = RowOf<'inference_secrets', typeof SECRET_COLUMNS>;

export interface NewSecret extends SecretRow {
  readonly timestamp: string;
}

export async function countSecrets(tx: Tx, projectId: number): Promise<number> {
  return tx.namedNumber(
    'inference_secrets_kept',
    'select count(*)::int as count from inference_secrets where project_id = $1',
    [projectId],
  );
}

export async function insertSecret(tx: Tx, secret: NewSecret): Promise<void> {
  await tx.named(
    'inference_secret_insert',
    `insert into inference_secrets (${COLUMNS}, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $6)`,
    [secret.project_id, secret.name, secret.type, secret.key_id, secret.sealed, secret.timestamp],
  );
}

/** @returns whether there was one of this name */
export async function replaceSecret(tx: Tx, secret: NewSecret): Promise<boolean> {
  return tx.namedAny(
    'inference_secret_replace',
    `update inference_secrets set type = $3, key_id = $4, sealed = $5, updated_at = $6
      where project_id = $1 and name = $2 returning 1`,
    [secret.project_id, secret.name, secret.type, secret.key_id, secret.sealed, secret.timestamp],
  );
}

/** @returns whether there was one of this name */
export async function deleteSecret(tx: Tx, projectId: number, name: string): Promise<boolean> {
  return tx.namedAny(
    'inference_secret_delete',
    'delete from inference_secrets where project_id = $1 and name = $2 returning 1',
    [projectId, name],
  );
}

export async function readSecret(tx: Tx, projectId: number, name: string): Promise<SecretRow | undefined> {
  return tx.namedRow<SecretRow>(
    'inference_secret_get',
    `select ${COLUMNS} from inference_secrets where project_id = $1 and name = $2`,
    [projectId, name],
  );
}

/** In the order of names. */
export const listSecrets = (tx: Tx, projectId: number, page: Paging) =>
  listPage<SecretRow>(tx, {
    ...{ name: 'inference_secret_list', table: 'inference_secrets', alias: 's', columns: COLUMNS, ...page },
    key: 'name',
    where: [sql`project_id = ${projectId}::int`],
    order: 'name',
  });

/** All values that are not under this key yet, locked until the transaction ends. */
export async function lockSecretsNotUnder(tx: Tx, keyId: string): Promise<SecretRow[]> {
  return tx.named(
    'inference_secret_old_keys',
    `select ${COLUMNS} from inference_secrets where key_id <> $1 order by project_id, name for update`,
    [keyId],
  );
}

export async function reencryptSecret(tx: Tx, row: SecretRow): Promise<void> {
  await tx.named(
    'inference_secret_reencrypt',
    'update inference_secrets set key_id = $3, sealed = $4 where project_id = $1 and name = $2',
    [row.project_id, row.name, row.key_id, row.sealed],
  );
}
