import { sql } from '../../platform/database/sql.ts';
import { type MapSource, WITH_ONE_MORE } from '../../platform/map/source.ts';

/** Clusters with how many of their nodes are ready. */
export const mapOfClusters: MapSource = async (db, { projectId }) => {
  const rows = await db.rows<{
    id: string;
    name: string;
    region_id: number;
    status: string;
    status_reason: string | null;
    task_id: string | null;
    network_id: string;
    nodes: number;
    ready: number;
  }>(sql`select c.id, c.name, c.region_id, c.status, c.status_reason, c.task_id, c.network_id, count(n.id)::int as nodes,
            count(n.id) filter (where n.state = 'READY')::int as ready
       from k8s_clusters c left join k8s_nodes n on n.cluster_id = c.id
      where c.project_id = ${projectId} group by c.id order by c.created_at desc, c.id limit ${WITH_ONE_MORE}`);
  return {
    nodes: rows.map(({ id, name, region_id: regionId, status_reason: reason, task_id: taskId, ...row }) => ({
      kind: 'kubernetes_cluster',
      id,
      name,
      detail: `cluster, ${row.ready} of ${row.nodes} ready`,
      regionId,
      taskId,
      status:
        row.status !== 'Provisioned'
          ? row.status
          : reason !== null
            ? 'down'
            : row.ready < row.nodes
              ? 'DEGRADED'
              : row.status,
    })),
    edges: rows.map(({ id, network_id: to }) => ({ from: id, to })),
  };
};
