import type { Db } from '../../../platform/database/db.ts';
import { sql } from '../../../platform/database/sql.ts';
import type { Scoped } from '../../../platform/http/context.ts';

/** Whether a load balancer writes a log; undefined: there is no such one. */
export async function readLogging(db: Db, { id, projectId, regionId }: Scoped) {
  return db.row<{
    readonly is_on: boolean;
  }>(sql`select coalesce((logging->>'enabled')::boolean and coalesce(logging->>'topic_name', '') <> '', false) as is_on
       from load_balancers where id = ${id} and project_id = ${projectId} and region_id = ${regionId}`);
}
