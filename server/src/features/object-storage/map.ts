import { sql } from '../../platform/database/sql.ts';
import { type MapSource, WITH_ONE_MORE } from '../../platform/map/source.ts';

/** The object storages of the account with their buckets, as far as they are known. */
export const mapOfStorages: MapSource = async (db, { clientId }) => {
  const rows = await db.rows<{
    id: number;
    name: string;
    region_id: number;
    status: string;
    status_reason: string | null;
    task_id: string | null;
    buckets: number;
  }>(sql`select s.id, s.name, s.region_id, s.status, s.status_reason, s.task_id,
            (select count(*)::int from object_storage_buckets b where b.storage_id = s.id) as buckets
       from object_storages s where s.client_id = ${clientId} and s.status <> 'deleted'
      order by s.created_at desc, s.id limit ${WITH_ONE_MORE}`);
  const nodes = rows.map(({ id, name, region_id: regionId, task_id: taskId, buckets, ...row }) => ({
    kind: 'object_storage',
    id: String(id),
    name,
    regionId,
    status: row.status === 'active' && row.status_reason !== null ? 'down' : row.status,
    taskId,
    detail: buckets === 1 ? 'storage, 1 bucket' : `storage, ${buckets} buckets`,
  }));
  return { nodes, edges: [] };
};
