import { TaskFailed } from '../../../kernel/errors.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import type { TaskRun } from '../../../platform/tasks/handler.ts';
import { readSource, readTakenAddresses } from '../../networks/index.ts';
import { settleLoadBalancer } from '../health-store.ts';
import type { LoadBalancerTree } from '../model.ts';
import { healthOf } from '../operating-status.ts';
import type { LoadBalancerProvider } from '../port.ts';
import { storeAddress } from '../store.ts';
import { readTree } from '../tree-store.ts';

export const MINUTE_MS = 60_000;

/** The task's load balancer, which it holds until it ends.
 *  @throws TaskFailed when it does not hold it (any more) */
export async function treeOf({ db, task }: TaskRun): Promise<LoadBalancerTree> {
  const tree = await readTree(db, task.subject);
  if (!tree || tree.task_id !== task.id) {
    throw new TaskFailed(`Load balancer ${task.subject} is not held by this task`);
  }
  return tree;
}

const MAX_ATTEMPTS = 50;

/** The virtual address of a load balancer: the one it has, or a new one that nobody else has where it is. */
export async function addressOf(
  db: Db,
  tree: LoadBalancerTree,
  provider: LoadBalancerProvider,
): Promise<string> {
  if (tree.vip_address !== null) return tree.vip_address;
  const { region_id: regionId, vip_space: space, vip_subnet_id: subnetId } = tree;
  const within = subnetId === null ? undefined : await readSource(db, subnetId);
  const refused = new Set<string>();
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    // A region whose data plane is on paper only may have very many load balancers: its addresses are not read.
    const unread = provider.passive && !within;
    const taken = unread ? refused : await readTakenAddresses(db, regionId, space);
    const candidate = await provider.allocateAddress(taken, tree.id, within);
    const stored = await storeAddress(db, tree.id, candidate);
    if (stored !== undefined) return stored;
    refused.add(candidate);
  }
  throw new TaskFailed('No free virtual address was found');
}

/** Asks the data plane how it is and prepares what ends the task's hold. */
export async function settling(
  { task }: TaskRun,
  tree: LoadBalancerTree,
  provider: LoadBalancerProvider,
): Promise<(tx: Tx) => Promise<void>> {
  const observed = (await provider.observe([tree.id])).get(tree.id);
  const { status, parts } = healthOf(tree, observed);
  return (tx) => settleLoadBalancer(tx, { id: tree.id, taskId: task.id }, status, parts);
}
