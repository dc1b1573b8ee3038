import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/database/db.ts';
import { listPage, type Page } from '../../platform/database/list-page.ts';
import { inserted } from '../../platform/database/new-rows.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import type { Pages, SetListQuery } from './schema.ts';

const SET_COLUMNS = ['id', 'name', 'domains', 'pages'] as const;
const COLUMNS = listOf(SET_COLUMNS);

export type SetRow = RowOf<
  'custom_page_sets',
  typeof SET_COLUMNS,
  { domains: readonly number[] | null; pages: Pages }
>;

export async function readSet(db: Db, clientId: number, id: number): Promise<SetRow | undefined> {
  return db.namedRow<SetRow>(
    'page_set_get',
    `select ${COLUMNS} from custom_page_sets where client_id = $1 and id = $2`,
    [clientId, id],
  );
}

/** The set, locked until the transaction ends. */
export async function lockSet(tx: Tx, clientId: number, id: number): Promise<SetRow | undefined> {
  return tx.namedRow<SetRow>(
    'page_set_lock',
    `select ${COLUMNS} from custom_page_sets where client_id = $1 and id = $2 for update`,
    [clientId, id],
  );
}

export function listSets(db: Db, clientId: number, query: SetListQuery): Promise<Page<SetRow>> {
  const { ordering = 'id', limit, offset, name, ids } = query;
  const direction = ordering.startsWith('-') ? 'desc' : 'asc';
  return listPage<SetRow>(db, {
    ...{ table: 'custom_page_sets', alias: 's', columns: COLUMNS, limit, offset },
    where: [
      sql`client_id = ${clientId}::int`,
      ...(name === undefined ? [] : [sql`name like ${likePattern(name)}`]),
      ...(ids === undefined ? [] : [sql`id = any(${[...ids]}::bigint[])`]),
    ],
    order: `${ordering.endsWith('name') ? 'name' : 'id'} ${direction}, id ${direction}`,
  });
}

/** `*` stands for any characters; everything else for itself. */
function likePattern(name: string): string {
  return name.replace(/[\\%_]/g, '\\$&').replace(/\*/g, '%');
}

export interface NewSet {
  readonly clientId: number;
  readonly name: string;
  readonly domains: readonly number[] | null;
  readonly pages: Pages;
  readonly timestamp: string;
}

export async function countSets(tx: Tx, clientId: number): Promise<number> {
  return tx.namedNumber(
    'page_set_count',
    'select count(*)::int as count from custom_page_sets where client_id = $1',
    [clientId],
  );
}

/** What the pages of all sets but one use. */
export async function bytesOfSets(tx: Tx, clientId: number, exceptId: number): Promise<number> {
  return tx.namedNumber(
    'page_set_bytes',
    `select coalesce(sum(octet_length(pages::text)), 0)::bigint as bytes
       from custom_page_sets where client_id = $1 and id <> $2`,
    [clientId, exceptId],
  );
}

export async function insertSet(tx: Tx, set: NewSet): Promise<SetRow> {
  const [row] = await tx.named<SetRow>(
    'page_set_insert',
    `insert into custom_page_sets (client_id, name, domains, pages, created_at) values ($1, $2, $3, $4, $5)
     returning ${COLUMNS}`,
    [
      set.clientId,
      set.name,
      set.domains && JSON.stringify(set.domains),
      JSON.stringify(set.pages),
      set.timestamp,
    ],
  );
  return inserted(row);
}

export async function updateSet(
  tx: Tx,
  id: number,
  { name, domains, pages }: Pick<SetRow, 'name' | 'domains' | 'pages'>,
): Promise<void> {
  await tx.named(
    'page_set_update',
    'update custom_page_sets set name = $2, domains = $3, pages = $4 where id = $1',
    [id, name, domains && JSON.stringify(domains), JSON.stringify(pages)],
  );
}

/** Says whether there was one. */
export async function deleteSet(tx: Tx, clientId: number, id: number): Promise<boolean> {
  return tx.namedAny(
    'page_set_delete',
    'delete from custom_page_sets where client_id = $1 and id = $2 returning id',
    [clientId, id],
  );
}
