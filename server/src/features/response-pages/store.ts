import type { Db, Tx } from '../../platform/database/db.ts';
import { listPage, type Page } from '../../platform/database/list-page.ts';
import { inserted } from '../../platform/database/new-rows.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Pages, SetListQuery } from './schema.ts';

const SET_COLUMNS = ['id', 'name', 'domains', 'pages'] as const;
const COLUMNS = listOf(SET_COLUMNS);

export type SetRow = RowOf<
  'custom_page_sets',
  typeof SET_COLUMNS,
  { domains: readonly number[] | null; pages: Pages }
>;

export async function readSet(db: Db, clientId: number, id: number): Promise<SetRow | undefined> {
  return db.row<SetRow>(
    sql`select ${COLUMNS} from custom_page_sets where client_id = ${clientId} and id = ${id}`,
  );
}

/** The set, locked until the transaction ends. */
export async function lockSet(tx: Tx, clientId: number, id: number): Promise<SetRow | undefined> {
  return tx.row<SetRow>(
    sql`select ${COLUMNS} from custom_page_sets where client_id = ${clientId} and id = ${id} for update`,
  );
}

export function listSets(db: Db, clientId: number, query: SetListQuery): Promise<Page<SetRow>> {
  const { ordering = 'id', limit, offset, name, ids } = query;
  const direction = ordering.startsWith('-') ? 'desc' : 'asc';
  return listPage<SetRow>(db, {
    table: 'custom_page_sets',
    alias: 's',
    columns: COLUMNS,
    limit,
    offset,
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
  return tx.number(sql`select count(*)::int as count from custom_page_sets where client_id = ${clientId}`);
}

/** What the pages of all sets but one use. */
export async function bytesOfSets(tx: Tx, clientId: number, exceptId: number): Promise<number> {
  return tx.number(sql`select coalesce(sum(octet_length(pages::text)), 0)::bigint as bytes
       from custom_page_sets where client_id = ${clientId} and id <> ${exceptId}`);
}

export async function insertSet(tx: Tx, set: NewSet): Promise<SetRow> {
  const [row] =
    await tx.rows<SetRow>(sql`insert into custom_page_sets (client_id, name, domains, pages, created_at) values (${set.clientId}, ${set.name}, ${set.domains && JSON.stringify(set.domains)}, ${JSON.stringify(set.pages)}, ${set.timestamp})
     returning ${COLUMNS}`);
  return inserted(row);
}

export async function updateSet(
  tx: Tx,
  id: number,
  { name, domains, pages }: Pick<SetRow, 'name' | 'domains' | 'pages'>,
): Promise<void> {
  await tx.run(
    sql`update custom_page_sets set name = ${name}, domains = ${domains && JSON.stringify(domains)}, pages = ${JSON.stringify(pages)} where id = ${id}`,
  );
}

/** Says whether there was one. */
export async function deleteSet(tx: Tx, clientId: number, id: number): Promise<boolean> {
  return tx.any(sql`delete from custom_page_sets where client_id = ${clientId} and id = ${id} returning id`);
}
