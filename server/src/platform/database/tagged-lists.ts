import { type RawBuilder, sql } from 'kysely';
import type { Db } from './db.ts';
import { type Counted, counted, countIfKept, keptCount } from './kept-counts.ts';

/** Lists that are narrowed by tags and by facets at once. How many have the tag, and how many have the facets, is known
 *  beforehand; how many have both is counted among the fewest: those with the tag, those with the facets, or those
 *  without them, which are taken from all that have the tag. */

/** What a list is looked through by. */
export interface Way {
  /** undefined: it is not narrowed by one tag and facets, or by something else, too. */
  readonly by: 'tags' | 'facets' | 'others' | undefined;
  /** Whether so few have the facets, or the tag where there are no facets, that all of them are read and sorted. In an
   *  order that has to do with them, the first of them may come after all others. */
  readonly few: boolean;
}

const FEW = 20_000;
export const NO_WAY: Way = { by: undefined, few: false };

export async function wayOf(db: Db, list: Counted): Promise<Way> {
  const { resource, place, facets, ofFacets, tags, more } = list;
  if (more || !isFaceted(list)) return NO_WAY;
  const isTagged = (tags.tagKeys ?? []).length + Object.keys(tags.tags ?? {}).length > 0;
  const tagged = isTagged ? countIfKept({ ...list, facets: {}, ofFacets: [] }) : undefined;
  const { rows } = await sql<Record<'all' | 'faceted' | 'tagged', number>>`select
    (${keptCount(resource, place)}) as all, (${keptCount(resource, place, facets, ofFacets)}) as faceted,
    (${tagged ?? sql`select 0::bigint`}) as tagged`.execute(db.kysely);
  const [{ all = 0, faceted = 0, tagged: withTag = 0 } = {}] = rows;
  const few = faceted <= FEW;
  if (tagged === undefined) return { by: undefined, few };
  if (withTag <= Math.min(faceted, all - faceted)) return { by: 'tags', few: false };
  return { by: faceted <= all - faceted ? 'facets' : 'others', few };
}

/** The same of a list that also says `few` of a tag alone. It has many orders, each with an index: the planner does not
 *  know how rare a tag is, and might walk through a whole order. */
export async function wayInAnyOrder(db: Db, list: Counted): Promise<Way> {
  if (isFaceted(list)) return wayOf(db, list);
  const { tagKeys = [], tags = {} } = list.tags;
  const count = tagKeys.length + Object.keys(tags).length > 0 ? countIfKept(list) : undefined;
  return { by: undefined, few: count !== undefined && (await counted(db, count)) <= FEW };
}

const isFaceted = ({ facets }: Counted) => Object.values(facets).some((value) => value !== undefined);

/** The count of a list that is looked through by those without its facets; else undefined, and it has to be counted.
 *  @param from the rows of the place: what follows `from`, up to its conditions
 *  @param others that a row lacks one of the facets; tags are to be asked without their index */
export function countByOthers(
  { by }: Way,
  list: Counted,
  { from, others, tags }: Readonly<Record<'from' | 'others' | 'tags', RawBuilder<unknown>>>,
): RawBuilder<{ count: number }> | undefined {
  const tagged = countIfKept({ ...list, facets: {}, ofFacets: [] });
  if (by !== 'others' || !tagged) return undefined;
  return sql`select (${tagged}) - (select count(*) from ${from} and ${others} and ${tags}) as count`;
}

/** That a column has another value, as an index finds it. */
export const differs = (column: RawBuilder<unknown>, value: string): RawBuilder<unknown> =>
  sql`(${column} < ${value} or ${column} > ${value})`;

/** A condition that no index is used for: it is asked of the few rows that others leave. */
export const asked = (condition: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`coalesce(${condition}, false)`;
