import { type AttentionSource, endOf, MOST_OF_ONE, soon } from '../../platform/attention/source.ts';
import { sql } from '../../platform/database/sql.ts';

/** Nodes that are not ready, and kubeconfigs that end soon. */
export const clustersInNeed: AttentionSource = async (db, { projectId, now }) => {
  const nodes = await db.rows<{
    id: string;
    name: string;
    cluster: string;
    region_id: number;
    state_since: Date;
  }>(sql`select c.id, n.name, c.name as cluster, c.region_id, n.state_since
       from k8s_clusters c join k8s_nodes n on n.cluster_id = c.id
      where c.project_id = ${projectId} and n.state = 'UNREADY' order by n.state_since limit ${MOST_OF_ONE}`);
  const away = await db.rows<{ id: string; name: string; region_id: number; reason: string }>(
    sql`select id, name, region_id, status_reason as reason from k8s_clusters
       where project_id = ${projectId} and status_reason is not null order by id limit ${MOST_OF_ONE}`,
  );
  const ending = await db.rows<{
    id: string;
    name: string;
    region_id: number;
    ends: Date;
  }>(sql`select id, name, region_id, kubeconfig_expires_at as ends from k8s_clusters
      where project_id = ${projectId} and kubeconfig_expires_at < ${soon(now).toISOString()} order by 4 limit ${MOST_OF_ONE}`);
  return [
    ...away.map(({ region_id: regionId, ...cluster }) => ({
      kind: 'kubernetes_cluster',
      ...cluster,
      regionId,
      since: null,
      severity: 'failed' as const,
    })),
    ...nodes.map(({ id, name, cluster, region_id, state_since }) => ({
      kind: 'kubernetes_cluster',
      id,
      name: cluster,
      regionId: region_id,
      since: state_since,
      severity: 'degraded' as const,
      reason: `Its node ${name} is not ready`,
    })),
    ...ending.map(({ id, name, region_id, ends }) => {
      const { severity, reason } = endOf(ends, now);
      return {
        kind: 'kubernetes_cluster',
        id,
        name,
        regionId: region_id,
        since: null,
        severity,
        reason: `Its kubeconfig: ${reason.toLowerCase()}`,
      };
    }),
  ];
};
