import { type RawBuilder, sql } from 'kysely';
import type { CountedIn } from './kept-counts.ts';
import { moment } from './moment.ts';

/** Counts of rows within a time: whole hours are counted already, by the facet `hour`, and what lies before and after
 *  them is counted. */

const HOUR_MS = 60 * 60 * 1000;

export interface Within {
  /** What is counted by the hour; a client's lists have the client instead of the project, and no region. */
  readonly resource: string;
  readonly place: CountedIn;
  /** What else narrows it, said of the column `facets`. */
  readonly ofFacets?: readonly RawBuilder<unknown>[];
  /** Both in milliseconds, and included; undefined: no end. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** The same of rows: a statement that counts them, to which conditions on their time are added with `and`. */
  readonly rows: RawBuilder<unknown>;
  readonly time: RawBuilder<unknown>;
}

/** A statement with one row, `count`. */
export function countWithin(within: Within): RawBuilder<{ count: number }> {
  const { resource, place, ofFacets = [], rows, time } = within;
  const from = within.from ?? Number.NEGATIVE_INFINITY;
  const to = within.to ?? Number.POSITIVE_INFINITY;
  const first = Math.ceil(from / HOUR_MS);
  const end = Math.max(first, Math.floor(to / HOUR_MS));
  const kept = sql.join(
    [
      sql`resource = ${resource} and project_id = ${place.projectId}::int and region_id = ${place.regionId}::int`,
      sql`(facets->>'hour')::bigint >= ${whole(first)}::bigint and (facets->>'hour')::bigint < ${whole(end)}::bigint`,
      ...ofFacets,
    ],
    sql` and `,
  );
  const before = sql`${rows} and ${time} >= ${moment(from)} and ${time} <= ${moment(to)} and ${time} < ${moment(first * HOUR_MS)}`;
  const after = sql`${rows} and ${time} <= ${moment(to)} and ${time} >= ${moment(end * HOUR_MS)}`;
  const edges = [...(Number.isFinite(from) ? [before] : []), ...(Number.isFinite(to) ? [after] : [])];
  return sql`select coalesce(sum(n), 0)::bigint as count from (
    select count as n from resource_totals where ${kept}
    union all select change from counted_changes where ${kept}
    ${edges.length === 0 ? sql`` : sql`union all ${sql.join(edges, sql` union all `)}`}) parts`;
}

/** Hours that all moments are between. */
const ALL_HOURS = 10 ** 9;
const whole = (hour: number) => Math.max(-ALL_HOURS, Math.min(ALL_HOURS, hour));
