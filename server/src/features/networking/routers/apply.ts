import type { Tx } from '../../../platform/database/db.ts';
import { type TaskRun, type Wait, waitFor } from '../../../platform/tasks/handler.ts';
import type { DesiredRouter, NetworkProvider } from '../networks/index.ts';
import type { RouterRow } from './model.ts';
import * as store from './store.ts';

/** What makes regions have the routers that the database has. */

type Settle = (tx: Tx) => Promise<void>;

/** What a region is to have of a router. */
export const desiredRouter = (
  row: Pick<RouterRow, 'id' | 'gateway_port_id' | 'routes' | 'interfaces'>,
): DesiredRouter => ({
  kind: 'router',
  id: row.id,
  hasGateway: row.gateway_port_id !== null,
  routes: row.routes,
  interfaces: row.interfaces.flatMap(
    ({ port_id: portId, network_id: networkId, subnet_id: subnetId, ...its }) =>
      its.ip_assignments.map(({ ip_address: address }) => ({ portId, networkId, subnetId, address })),
  ),
});

/** Makes the routers that a task holds what they are to be.
 *  @param change that the task is about to write
 *  @returns to be waited for, or what stores what is known then */
export async function applyHeld(
  run: TaskRun,
  provider: NetworkProvider,
  change: Partial<store.RouterChange> = {},
): Promise<Wait | Settle> {
  const rows = await store.readAllHeld(run.db, run.task.id);
  return applyAll(
    run,
    provider,
    rows.map((row) => ({ ...row, ...change })),
  );
}

/** The same for the routers that are attached to a subnet, which may be about to leave it. */
export async function applyIn(
  run: TaskRun,
  provider: NetworkProvider,
  subnetId: string,
  how?: 'without it',
): Promise<Wait | Settle> {
  const rows = await store.readRoutersIn(run.db, subnetId);
  const without = ({ interfaces, ...row }: RouterRow): RouterRow => ({
    ...row,
    interfaces: interfaces.filter((each) => each.subnet_id !== subnetId),
  });
  return applyAll(run, provider, how === undefined ? rows : rows.map(without));
}

async function applyAll(
  run: TaskRun,
  provider: NetworkProvider,
  rows: readonly RouterRow[],
): Promise<Wait | Settle> {
  const settles: Settle[] = [];
  for (const row of rows) {
    const applied = await provider.apply(desiredRouter(row), run.operation);
    const waiting = waitFor(applied);
    if (waiting) return waiting;
    const { gateway } = applied;
    if (gateway) settles.push((tx) => store.storeGatewayAddress(tx, row.gateway_port_id, gateway));
  }
  return async (tx) => {
    for (const settle of settles) await settle(tx);
  };
}
