import type { Queryable } from '../../../platform/database/db.ts';
import { sql } from '../../../platform/database/sql.ts';

/** The names under which an instance sees its volumes: `/dev/vda`. */
export async function readDevices(db: Queryable, id: string): Promise<string[]> {
  const rows = await db.rows<{ device: string }>(
    sql`select device from volumes where instance_id = ${id} and device is not null order by device`,
  );
  return rows.map(({ device }) => device);
}
