import { type RawBuilder, sql } from 'kysely';

/** Where a text is looked for, and its column: as the index says it that has its parts (see `text_parts`). */
export interface PartOf {
  /** Columns that say whose the row is, or numbers, each with the value that it is to have. */
  readonly place: readonly [RawBuilder<unknown>, number];
  readonly within: readonly [RawBuilder<unknown>, number];
  readonly column: RawBuilder<unknown>;
}

/** Characters that the index has together. */
const INDEXED = 3;

const escaped = (text: string) => text.replace(/[\\%_]/g, (sign) => `\\${sign}`);

/** That a text contains a part, in capitals or not. Shorter parts than three characters are looked for in all texts of
 *  the place. */
export function containsPart({ place, within, column }: PartOf, part: string): RawBuilder<unknown> {
  const contains = sql`${column} ilike ${`%${escaped(part)}%`}`;
  if ([...part].length < INDEXED) return contains;
  return sql`${contains} and text_parts(${place[0]}, ${within[0]}, ${column})
    @> text_parts(${place[1]}::int, ${within[1]}::int, ${part})`;
}

/** That a name in a project's part of a region contains a part. */
export const nameContains = (
  { projectId, regionId }: { readonly projectId: number; readonly regionId: number },
  part: string,
): RawBuilder<unknown> =>
  containsPart(
    { place: [sql`project_id`, projectId], within: [sql`region_id`, regionId], column: sql`name` },
    part,
  );

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** That an id contains a part; a whole id is looked up. */
export const idContains = (part: string): RawBuilder<unknown> =>
  UUID.test(part) ? sql`id = ${part}::uuid` : sql`id::text like ${`%${escaped(part.toLowerCase())}%`}`;
