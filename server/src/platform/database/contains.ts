import { type Sql, sql } from './sql.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A text as part of a pattern of `like`, where its own signs stand for themselves. */
export const escapedForLike = (text: string): string => text.replace(/[\\%_]/g, (sign) => `\\${sign}`);

/** That a text contains a part, in capitals or not. Parts of three characters or more are found by the column's index of
 *  trigrams, where it has one (`server/search-indexes.sql`). */
export const contains = (column: Sql, part: string): Sql =>
  sql`${column} ilike ${`%${escapedForLike(part)}%`}`;

/** By which names a list is filtered. */
export interface NameFilter {
  readonly name?: string | undefined;
  readonly namePart?: string | undefined;
}

/** Conditions on the column `name`: the whole of it, and a part. */
export const named = ({ name, namePart }: NameFilter): Sql[] => [
  ...(name === undefined ? [] : [sql`name = ${name}`]),
  ...(namePart === undefined ? [] : [contains(sql`name`, namePart)]),
];

/** That an id contains a part; a whole id is looked up. */
export function idContains(part: string): Sql {
  const id = part.toLowerCase();
  return UUID.test(id) ? sql`id = ${id}::uuid` : sql`id::text like ${`%${escapedForLike(id)}%`}`;
}
