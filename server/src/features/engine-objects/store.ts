import type { Queryable } from '../../platform/database/db.ts';
import { sql } from '../../platform/database/sql.ts';

export interface EngineObjectRow {
  readonly region_id: number;
  readonly region_name: string;
  readonly kind: string;
  readonly resource_id: string;
  readonly engine_id: string;
}

/** What the clouds of all regions have for a resource. */
export async function readEngineObjects(db: Queryable, resourceId: string): Promise<EngineObjectRow[]> {
  return db.rows<EngineObjectRow>(sql`select o.region_id, r.display_name as region_name, o.kind, o.id as resource_id, o.engine_id
       from engine_objects o join regions r on r.id = o.region_id
      where o.id = ${resourceId} order by o.region_id, o.kind`);
}
