import { statesBefore, type Transitions } from '../../kernel/transitions.ts';
import { type NameFilter, named } from '../../platform/database/contains.ts';
import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { heldTable } from '../../platform/database/held-table.ts';
import { listPage, newestIn, type Page, type Paging } from '../../platform/database/list-page.ts';
import { insertionOf } from '../../platform/database/new-rows.ts';
import { listOf, pick, type RowOf, without } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Scope } from '../../platform/http/context.ts';
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
  'id',
  'project_id',
  'region_id',
  'client_id',
  'name',
  'kind',
  'algorithm',
  'bit_length',
  'names',
  'expiration',
  'not_after',
  'status',
  'task_id',
  'created_at',
] as const;
const SHOWN = listOf(COLUMNS, 's');

export type SecretRow = RowOf<
  'secrets',
  typeof COLUMNS,
  { kind: SecretKind; names: readonly string[]; status: SecretStatus }
>;

const SEALED = ['id', 'key_id', 'sealed'] as const;
export type SealedRow = RowOf<'secrets', typeof SEALED>;

const NEW = [...without(COLUMNS, ['status', 'created_at']), 'key_id', 'sealed'] as const;

export type NewSecret = Pick<SecretRow & SealedRow, (typeof NEW)[number]> & { readonly timestamp: string };

/** Nobody begins to use one that is locked or kept. */
export const {
  read: readSecret,
  lock: lockSecret,
  keep: keepSecrets,
  deleteHeld: deleteSecret,
} = heldTable<SecretRow>('secrets', 'Secret', { columns: SHOWN, alias: 's' });

/** What an account keeps in all its regions. */
export async function bytesOfSecrets(tx: Tx, clientId: number): Promise<number> {
  return tx.number(
    sql`select coalesce(sum(octet_length(sealed)), 0)::bigint as bytes from secrets where client_id = ${clientId}`,
  );
}

export async function insertSecret(tx: Tx, row: NewSecret): Promise<void> {
  const columns = { ...pick(row, NEW), status: 'PENDING_CREATE', created_at: row.timestamp };
  await tx.run(insertionOf('secrets', columns));
}

/** One page, the newest first, and how many there are in all. */
export function listSecrets(
  db: Db,
  list: Scope & Pick<NameFilter, 'namePart'> & Paging,
): Promise<Page<SecretRow>> {
  const { limit, offset, namePart } = list;
  const { where, order } = newestIn(list);
  return listPage<SecretRow>(db, {
    table: 'secrets',
    alias: 's',
    columns: SHOWN,
    where: [...where, ...named({ namePart })],
    order,
    limit,
    offset,
  });
}

/** Gives the secret to the task that deletes it. */
export async function markDeleting(tx: Tx, id: string, taskId: string): Promise<void> {
  await tx.run(sql`update secrets set status = 'PENDING_DELETE', task_id = ${taskId} where id = ${id}`);
}

/** Ends the task's hold: the secret can be used. */
export async function activateSecret(tx: Tx, id: string, taskId: string): Promise<void> {
  await tx.run(sql`update secrets set status = 'ACTIVE', task_id = null
      where id = ${id} and task_id = ${taskId} and status = any(${statesBefore(SECRET_TRANSITIONS, 'ACTIVE')}::text[])`);
}

/** What secrets are good for, by their ids. */
export async function secretKinds(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SecretKind>> {
  if (ids.length === 0) return new Map();
  const rows = await db.rows<Pick<SecretRow, 'id' | 'kind'>>(
    sql`select id, kind from secrets where id = any(${ids}::uuid[])`,
  );
  return new Map(rows.map(({ id, kind }) => [id, kind]));
}

export async function readSealed(db: Queryable, ids: readonly string[]): Promise<SealedRow[]> {
  return db.rows(sql`select ${listOf(SEALED)} from secrets where id = any(${ids}::uuid[])`);
}

/** All values that are not under this key yet, locked until the transaction ends. */
export async function lockSealedNotUnder(tx: Tx, keyId: string): Promise<SealedRow[]> {
  return tx.rows(sql`select ${listOf(SEALED)} from secrets where key_id <> ${keyId} order by id for update`);
}

export async function reencryptSecret(tx: Tx, { id, key_id, sealed }: SealedRow): Promise<void> {
  await tx.run(sql`update secrets set key_id = ${key_id}, sealed = ${sealed} where id = ${id}`);
}
