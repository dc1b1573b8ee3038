import type { Db } from '../database/db.ts';
import { raw, type Sql, sql } from '../database/sql.ts';

/** Something that its region does not serve: its files are on another machine, for instance. */
export interface Unserved {
  /** What it is, as searches name it: `object_storage`. */
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly client_id: number;
  readonly region_id: number;
  readonly reason: string;
  /** How many of its kind there are in its region. */
  readonly count: number;
}

/** Reads what of a feature is not served, at most `MOST_UNSERVED` in each region. */
export type UnservedSource = (db: Db) => Promise<readonly Unserved[]>;

export const MOST_UNSERVED = 50;

const STATUS_REASON = sql`status_reason`;

/** Those of a table. @param reason why a row is not served; null: it is */
export const unservedIn =
  (kind: string, table: string, reason: Sql = STATUS_REASON): UnservedSource =>
  (db) =>
    db.rows<Unserved>(sql`select ${kind} as kind, u.id, u.name, u.client_id, u.region_id, u.reason, u.count
       from (select id::text, name, client_id, region_id, ${reason} as reason,
                    (count(*) over (partition by region_id))::int as count,
                    row_number() over (partition by region_id order by id) as place
               from ${raw(table)} where ${reason} is not null) u
      where u.place <= ${MOST_UNSERVED} order by u.region_id, u.place`);
