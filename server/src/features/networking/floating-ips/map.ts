import { sql } from '../../../platform/database/sql.ts';
import { type MapSource, WITH_ONE_MORE } from '../../../platform/map/source.ts';

/** Floating IPs, with the load balancer or the instance that each leads to. */
export const mapOfFloatingIps: MapSource = async (db, { projectId }) => {
  const rows = await db.rows<{
    id: string;
    address: string | null;
    region_id: number;
    status: string;
    task_id: string | null;
    target: string | null;
  }>(sql`select f.id, host(f.floating_ip_address) as address, f.region_id, f.status, f.task_id,
            coalesce(f.load_balancer_id, p.device_id) as target
       from floating_ips f left join ports p on p.id = f.port_id
      where f.project_id = ${projectId} order by f.created_at desc, f.id limit ${WITH_ONE_MORE}`);
  return {
    nodes: rows.map(({ id, address, region_id: regionId, status, task_id: taskId, target }) => ({
      kind: 'floating_ip',
      id,
      name: address ?? 'no address yet',
      regionId,
      status,
      taskId,
      detail: target === null ? 'leads nowhere' : 'floating IP',
    })),
    edges: rows.flatMap(({ id, target }) => (target === null ? [] : [{ from: id, to: target }])),
  };
};
