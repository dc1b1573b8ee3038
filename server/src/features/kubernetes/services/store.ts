import type { Queryable } from '../../../platform/database/db.ts';
import { sql } from '../../../platform/database/sql.ts';

/** SQL of clusters whose services are looked at. */

export interface ClusterWithServices {
  readonly id: string;
  readonly name: string;
  readonly client_id: number;
  readonly project_id: number;
  readonly region_id: number;
  readonly region_name: string;
  readonly status: string;
  /** Whether it has been ready once, in a region that can be changed. */
  readonly can_change: boolean;
  /** Who made it; 0: not known any more. */
  readonly user_id: number;
}

/** All clusters of these regions: what is made for one that cannot be changed at present stays. */
export const readClustersWithServices = (
  db: Queryable,
  regionIds: readonly number[],
): Promise<ClusterWithServices[]> =>
  db.rows<ClusterWithServices>(sql`select k.id, k.name, k.client_id, k.project_id, k.region_id, r.display_name as region_name, k.status,
            k.control_plane_version is not null and r.state = 'ACTIVE' as can_change,
            coalesce((select user_id from tasks t where t.id = k.creator_task_id limit 1), 0) as user_id
       from k8s_clusters k join regions r on r.id = k.region_id
      where k.region_id = any(${regionIds}::int[]) order by k.created_at, k.id`);
