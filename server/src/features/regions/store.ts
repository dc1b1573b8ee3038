import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { listOf } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';
import { REGION_COLUMNS, type RegionRow } from './model.ts';

const COLUMNS = sql`${listOf(REGION_COLUMNS)},
  (select n.id from networks n where n.region_id = regions.id and n.external) as external_network_id`;

export async function readRegion(db: Db, id: number): Promise<RegionRow | undefined> {
  const [row] = await db.rows<RegionRow>(sql`select ${COLUMNS} from regions where id = ${id}`);
  return row;
}

export async function readRegionsByIds(db: Db, ids: readonly number[]): Promise<RegionRow[]> {
  return db.rows<RegionRow>(sql`select ${COLUMNS} from regions where id = any(${ids}::int[])`);
}

export async function readRegions(db: Queryable): Promise<RegionRow[]> {
  return db.rows<RegionRow>(sql`select ${COLUMNS} from regions order by id`);
}

export interface NewRegion extends Pick<RegionRow, 'id' | 'display_name' | 'slug' | 'provider' | 'settings'> {
  readonly state: string;
}

/** Inserts regions or brings them up to what the configuration says; those not named stay as they are. */
export async function saveRegions(tx: Tx, regions: readonly NewRegion[], timestamp: string): Promise<void> {
  await tx.run(sql`insert into regions (id, display_name, slug, state, provider, settings, created_at)
     select r.id, r.display_name, r.slug, r.state, r.provider, r.settings, ${timestamp}::timestamptz
       from jsonb_to_recordset(${JSON.stringify(regions)}::jsonb) as r (id int, display_name text, slug text, state text, provider text, settings jsonb)
     on conflict (id) do update set display_name = excluded.display_name, slug = excluded.slug,
       state = excluded.state, provider = excluded.provider, settings = excluded.settings`);
}
