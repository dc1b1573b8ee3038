import type { Db } from '../../../platform/database/db.ts';
import type { Placed } from '../../../platform/http/context.ts';

/** Whether a load balancer writes a log; undefined: there is no such one. */
export async function readLogging(db: Db, { id, projectId, regionId }: Placed) {
  return db.namedRow<{ readonly is_on: boolean }>(
    'load_balancer_logging',
    `select coalesce((logging->>'enabled')::boolean and coalesce(logging->>'topic_name', '') <> '', false) as is_on
       from load_balancers where id = $1 and project_id = $2 and region_id = $3`,
    [id, projectId, regionId],
  );
}
