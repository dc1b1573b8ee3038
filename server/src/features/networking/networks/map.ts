import { sql } from '../../../platform/database/sql.ts';
import { type MapSource, WITH_ONE_MORE } from '../../../platform/map/source.ts';

/** Networks of the project with their ranges. */
export const mapOfNetworks: MapSource = async (db, { projectId }) => {
  const rows = await db.rows<{
    id: string;
    name: string;
    region_id: number;
    task_id: string | null;
    ranges: readonly string[];
  }>(sql`select n.id, n.name, n.region_id, n.task_id,
            array(select s.cidr::text from subnets s where s.network_id = n.id order by s.created_at, s.id) as ranges
       from networks n where n.project_id = ${projectId} order by n.created_at desc, n.id limit ${WITH_ONE_MORE}`);
  const nodes = rows.map(({ id, name, region_id: regionId, task_id: taskId, ranges }) => ({
    kind: 'network',
    id,
    name,
    regionId,
    taskId,
    status: 'ACTIVE',
    detail: ranges.join(', ') || 'no subnet',
  }));
  return { nodes, edges: [] };
};
