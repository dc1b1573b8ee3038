import type { Db, Queryable } from '../../platform/database/db.ts';
import { raw, sql } from '../../platform/database/sql.ts';
import type { NodeCondition, SimulationSignals } from './port.ts';

/** What operators have said about nodes and pools of simulated regions. It is kept beside them, and goes with
 *  them. */
export function simulationSignals(db: Db): SimulationSignals {
  return {
    nodeConditions: (ids) => valuesOf<NodeCondition>(db, 'k8s_nodes', 'simulated_condition', ids),
    neededNodes: (ids) => valuesOf<number>(db, 'k8s_pools', 'simulated_need', ids),
  };
}

/** What was said of these, by their ids; nothing of the others. */
async function valuesOf<T>(db: Db, table: string, column: string, ids: readonly string[]) {
  const rows = await db.rows<{ id: string; value: T }>(
    sql`select id, ${raw(column)} as value from ${raw(table)} where id = any(${ids}::uuid[]) and ${raw(column)} is not null`,
  );
  return new Map(rows.map(({ id, value }) => [id, value]));
}

/** @returns false when there is no such node in the region, or it is being removed */
export async function reportNodeCondition(
  tx: Queryable,
  regionId: number,
  nodeId: string,
  condition: NodeCondition,
): Promise<boolean> {
  return tx.any(sql`update k8s_nodes n set simulated_condition = ${condition} from k8s_clusters c
      where n.id = ${nodeId} and n.state <> 'REMOVING' and c.id = n.cluster_id and c.region_id = ${regionId} returning 1`);
}

/** @returns false when there is no such pool in the region */
export async function reportNeededNodes(
  tx: Queryable,
  regionId: number,
  poolId: string,
  need: number | null,
): Promise<boolean> {
  return tx.any(sql`update k8s_pools p set simulated_need = ${need} from k8s_clusters c
      where p.id = ${poolId} and c.id = p.cluster_id and c.region_id = ${regionId} returning 1`);
}
