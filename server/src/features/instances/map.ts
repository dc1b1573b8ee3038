import { sql } from '../../platform/database/sql.ts';
import { type MapSource, WITH_ONE_MORE } from '../../platform/map/source.ts';

/** Instances, with the networks that they are in. Nodes are a part of their cluster. */
export const mapOfInstances: MapSource = async (db, { projectId }) => {
  const rows = await db.rows<{
    id: string;
    name: string;
    region_id: number;
    status: string;
    task_id: string | null;
    size: string | null;
    networks: readonly string[];
  }>(sql`select i.id, i.name, i.region_id, i.status, i.task_id, i.flavor ->> 'id' as size,
            array(select distinct p.network_id from ports p where p.device_id = i.id) as networks
       from instances i where i.project_id = ${projectId} and i.cluster_id is null
      order by i.created_at desc, i.id limit ${WITH_ONE_MORE}`);
  return {
    nodes: rows.map(({ id, name, region_id: regionId, status, task_id: taskId, size }) => ({
      kind: 'instance',
      id,
      name,
      detail: size ?? '',
      regionId,
      status,
      taskId,
    })),
    edges: rows.flatMap(({ id, networks }) => networks.map((to) => ({ from: id, to }))),
  };
};
