import { statesBefore, type Transitions } from '../../kernel/transitions.ts';
import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { heldTable } from '../../platform/database/held-table.ts';
import { countedRows, inPlace, listPage, type Page } from '../../platform/database/list-page.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import type { Place } from '../../platform/http/context.ts';
import type { SecretKind } from './material.ts';

export type SecretStatus = 'PENDING_CREATE' | 'ACTIVE' | 'PENDING_DELETE';

export const SECRET_TRANSITIONS: Transitions<SecretStatus> = {
  PENDING_CREATE: ['ACTIVE'],
  ACTIVE: ['PENDING_DELETE'],
  // Back when the deletion had to be given up.
  PENDING_DELETE: ['ACTIVE'],
};

/** What of a secret may be shown. */
const COLUMNS = [
  ...(['id', 'project_id', 'region_id', 'client_id', 'name', 'kind', 'algorithm', 'bit_length'] as const),
  ...(['names', 'expiration', 'not_after', 'status', 'task_id', 'created_at'] as const),
] as const;
const SHOWN = listOf(COLUMNS, 's');

export type SecretRow = RowOf<
  'secrets',
  typeof COLUMNS,
  { kind: SecretKind; names: readonly string[]; status: SecretStatus }
>;

const SEALED = ['id', 'key_id', 'sealed'] as const;
export type SealedRow = RowOf<'secrets', typeof SEALED>;

export type NewSecret = Omit<SecretRow, 'status' | 'created_at'> & SealedRow & { readonly timestamp: string };

const held = heldTable<SecretRow>('secrets', 'Secret', { columns: SHOWN, alias: 's' });

/** @throws NotFound */
export const readSecret = held.read;
/** Nobody else changes it or begins to use it until the transaction ends. @throws NotFound */
export const lockSecret = held.lock;
/** Those of these that there are; they stay what they are until the transaction ends. */
export const keepSecrets = held.keep;

/** What an account keeps in all its regions. */
export async function bytesOfSecrets(tx: Tx, clientId: number): Promise<number> {
  return tx.namedNumber(
    'secret_bytes',
    'select coalesce(sum(octet_length(sealed)), 0)::bigint as bytes from secrets where client_id = $1',
    [clientId],
  );
}

export async function insertSecret(tx: Tx, row: NewSecret): Promise<void> {
  await tx.named(
    'secret_insert',
    `insert into secrets (id, project_id, region_id, client_id, name, kind, algorithm, bit_length, names,
       expiration, not_after, status, task_id, key_id, sealed, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'PENDING_CREATE', $12, $13, $14, $15)`,
    [
      row.id,
      row.project_id,
      row.region_id,
      row.client_id,
      row.name,
      row.kind,
      row.algorithm,
      row.bit_length,
      row.names,
      row.expiration,
      row.not_after,
      row.task_id,
      row.key_id,
      row.sealed,
      row.timestamp,
    ],
  );
}

/** One page, the newest first, and how many there are in all. */
export function listSecrets(
  db: Db,
  place: Place,
  page: { readonly limit: number; readonly offset: number },
): Promise<Page<SecretRow>> {
  return listPage<SecretRow>(db, {
    name: 'secret_list',
    ...{ table: 'secrets', alias: 's', columns: SHOWN },
    where: [inPlace(place)],
    order: 'created_at desc, id desc',
    count: countedRows('secrets', place),
    ...page,
  });
}

/** Gives the secret to the task that deletes it. */
export async function markDeleting(tx: Tx, id: string, taskId: string): Promise<void> {
  await tx.named(
    'secret_mark_deleting',
    `update secrets set status = 'PENDING_DELETE', task_id = $2 where id = $1`,
    [id, taskId],
  );
}

/** Ends the task's hold: the secret can be used. */
export async function activateSecret(tx: Tx, id: string, taskId: string): Promise<void> {
  await tx.named(
    'secret_activate',
    `update secrets set status = 'ACTIVE', task_id = null
      where id = $1 and task_id = $2 and status = any($3::text[])`,
    [id, taskId, statesBefore(SECRET_TRANSITIONS, 'ACTIVE')],
  );
}

/** Removes it while the task holds it.
 *  @returns whether there was anything to remove */
export const deleteSecret = held.deleteHeld;

export async function readSealed(db: Queryable, ids: readonly string[]): Promise<SealedRow[]> {
  return db.named('secret_sealed', `select ${listOf(SEALED)} from secrets where id = any($1::uuid[])`, [ids]);
}

/** All values that are not under this key yet, locked until the transaction ends. */
export async function lockSealedNotUnder(tx: Tx, keyId: string): Promise<SealedRow[]> {
  return tx.named(
    'secret_old_keys',
    `select ${listOf(SEALED)} from secrets where key_id <> $1 order by id for update`,
    [keyId],
  );
}

export async function reencryptSecret(tx: Tx, { id, key_id, sealed }: SealedRow): Promise<void> {
  await tx.named('secret_reencrypt', 'update secrets set key_id = $2, sealed = $3 where id = $1', [
    id,
    key_id,
    sealed,
  ]);
}
