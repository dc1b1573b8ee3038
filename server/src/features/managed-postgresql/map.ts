import { listOf, type RowOf } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';
import { type MapSource, WITH_ONE_MORE } from '../../platform/map/source.ts';
import type { ClusterRow } from './model.ts';
import { phaseOf } from './phases.ts';

const COLUMNS = [
  'id',
  'name',
  'region_id',
  'status',
  'task_id',
  'spec',
  'next_spec',
  'restored_from',
  'host',
  'observed',
] as const;
type Row = RowOf<
  'postgresql_clusters',
  typeof COLUMNS,
  Pick<ClusterRow, 'status' | 'spec' | 'next_spec' | 'restored_from' | 'observed'>
>;

/** Clusters with what they are doing. */
export const mapOfClusters: MapSource = async (db, { projectId }) => {
  const rows = await db.rows<Row>(sql`select ${listOf(COLUMNS)} from postgresql_clusters
      where project_id = ${projectId} order by created_at desc, id limit ${WITH_ONE_MORE}`);
  const nodes = rows.map((row) => ({
    kind: 'postgresql_cluster',
    id: row.id,
    name: row.name,
    detail: `PostgreSQL ${row.spec.version}`,
    regionId: row.region_id,
    taskId: row.task_id,
    status: row.status === 'READY' && row.spec.acl.length === 0 ? 'Nobody may connect' : phaseOf(row),
  }));
  return { nodes, edges: [] };
};
