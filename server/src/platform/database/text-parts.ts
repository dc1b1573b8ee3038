import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from './db.ts';

/** Where a text is looked for, and its column: as the index says it that has its parts (see `text_parts`). */
export interface PartOf {
  /** Columns that say whose the row is, or numbers, each with the value that it is to have. */
  readonly place: readonly [RawBuilder<unknown>, number];
  readonly within: readonly [RawBuilder<unknown>, number];
  readonly column: RawBuilder<unknown>;
  /** What the index is called; a regular expression where each partition has one. */
  readonly index: string;
}

/** Characters that the index has together. */
const INDEXED = 3;

const escaped = (text: string) => text.replace(/[\\%_]/g, (sign) => `\\${sign}`);

/** That a text contains a part, in capitals or not. The index is asked for those of its characters that few texts have.
 *  Shorter parts than three characters are looked for in all texts of the place. */
export async function containsPart(
  db: Queryable,
  { place, within, column, index }: PartOf,
  part: string,
): Promise<RawBuilder<unknown>> {
  const contains = sql`${column} ilike ${`%${escaped(part)}%`}`;
  if ([...part].length < INDEXED) return contains;
  const row = await db.namedRow<{ parts: string[] }>(
    'rare_parts',
    'select rare_parts($1, text_parts($2, $3, $4)) as parts',
    [`^${index}$`, place[1], within[1], part],
  );
  return sql`${contains} and text_parts(${place[0]}, ${within[0]}, ${column}) @> ${row?.parts ?? []}::text[]`;
}

/** That a name in a project's part of a region contains a part.
 *  @param table what has the name, and an index of its parts */
export const nameContains = (
  db: Queryable,
  table: string,
  { projectId, regionId }: { readonly projectId: number; readonly regionId: number },
  part: string,
): Promise<RawBuilder<unknown>> =>
  containsPart(
    db,
    {
      place: [sql`project_id`, projectId],
      within: [sql`region_id`, regionId],
      column: sql`name`,
      index: `${table}_name_parts`,
    },
    part,
  );

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Digits that the index of ids has together: it has each four of them once (see `id_parts`). */
const BLOCK = 4;

/** That the id of something in a project's part of a region contains a part. A whole id is looked up; a part of seven
 *  digits or more has four that the index has together, wherever it begins; shorter ones are looked for in all ids. */
export function idContains(
  { projectId, regionId }: { readonly projectId: number; readonly regionId: number },
  part: string,
): RawBuilder<unknown> {
  const id = part.toLowerCase();
  if (UUID.test(id)) return sql`id = ${id}::uuid`;
  const contains = sql`id::text like ${`%${escaped(id)}%`}`;
  const ways = blocksOf(id);
  if (ways.some((blocks) => blocks.length === 0)) return contains;
  const haveBlocks = ways.map(
    (blocks) =>
      sql`id_parts(project_id, region_id, id) @> ${blocks.map((block) => `${projectId}.${regionId}.${block}`)}::text[]`,
  );
  return sql`${contains} and (${sql.join(haveBlocks, sql` or `)})`;
}

/** The blocks that a part of an id has, for each place where the first can begin. Hyphens are between blocks. */
function blocksOf(part: string): string[][] {
  const digits = part.replaceAll('-', '');
  const hyphen = part.indexOf('-');
  const begins = hyphen === -1 ? [0, 1, 2, 3] : [hyphen % BLOCK];
  return begins.map((begin) => {
    const count = Math.floor(Math.max(0, digits.length - begin) / BLOCK);
    return Array.from({ length: count }, (_, i) => digits.slice(begin + i * BLOCK, begin + (i + 1) * BLOCK));
  });
}
