import { TaskFailed } from '../../../kernel/errors.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import type { Created } from '../../../platform/tasks/created-resources.ts';
import { type Done, done, type TaskRun, type Wait, waitFor } from '../../../platform/tasks/handler.ts';
import { providerOfTask } from '../../../platform/tasks/providers.ts';
import type { AddressProvider } from '../../networking/addresses/index.ts';
import { allocateAddress } from '../../networking/networks/index.ts';
import type { DataPlanes } from '../data-planes.ts';
import type { LoadBalancerTree, Vips } from '../model.ts';
import { healthOf } from '../operating-status.ts';
import { settleLoadBalancer } from '../parts/store.ts';
import type { LoadBalancerProvider } from '../port.ts';
import { storeAddress, type VipColumn } from '../store.ts';
import { readTreeWithOthers } from '../tree-store.ts';

export const MINUTE_MS = 60_000;

/** After this long a task that is not done has failed, and is undone. */
export const TASK_DEADLINE_MS = 15 * MINUTE_MS;

/** The load balancer that a task holds until it ends.
 *  @throws TaskFailed when it does not hold it (any more) */
export async function heldTree({ db, task }: TaskRun, id = task.subject): Promise<LoadBalancerTree> {
  const tree = await readTreeWithOthers(db, id);
  if (!tree || tree.task_id !== task.id) {
    throw new TaskFailed(`Load balancer ${id} is not held by this task`);
  }
  return tree;
}

/** Makes the data plane serve what the database says.
 *  @returns to be waited for, or what ends the task's hold
 *  @throws TaskFailed with the data plane's reason */
export async function serve(
  run: TaskRun,
  tree: LoadBalancerTree,
  providers: DataPlanes,
): Promise<Wait | ((tx: Tx) => Promise<void>)> {
  const provider = providers.forTask(run.task.regionId);
  const vips = await addressesOf(run.db, tree, addressProvider(run, providers));
  const desired = await providers.desired(run.db, tree, vips);
  const waiting = waitFor(await provider.apply(desired, run.operation));
  return waiting ?? settling(run, tree, provider);
}

/** What else a task ends with. */
export interface Ending {
  readonly created?: Created | undefined;
  readonly commit?: (tx: Tx) => Promise<void>;
}

/** One step of a task that ends when the data plane serves what the database says. */
export async function converge(
  run: TaskRun,
  tree: LoadBalancerTree,
  providers: DataPlanes,
  { created, commit }: Ending = {},
): Promise<Done | Wait> {
  const settle = await serve(run, tree, providers);
  if (typeof settle !== 'function') return settle;
  return done(created, async (tx) => {
    await settle(tx);
    await commit?.(tx);
  });
}

/** Who gives a load balancer its addresses.
 *  @throws TaskFailed when the region has lost it */
export const addressProvider = (run: TaskRun, { addresses }: DataPlanes): AddressProvider =>
  providerOfTask('addresses to give')(run, addresses);

/** A virtual address that a load balancer has or is to have. */
interface Vip {
  readonly column: VipColumn;
  readonly address: string | null;
  /** The one that is kept for it; null: any will do. */
  readonly reserved: string | null;
  /** null: the region's own subnet of IPv4. */
  readonly subnetId: string | null;
  readonly space: string;
}

/** The virtual addresses of a load balancer: those that it has, and new ones that nobody else has where they are. */
async function addressesOf(db: Db, tree: LoadBalancerTree, provider: AddressProvider): Promise<Vips> {
  const first = await addressOf(db, tree, provider, {
    column: 'vip_address',
    address: tree.vip_address,
    reserved: tree.reserved_address,
    subnetId: tree.vip_subnet_id,
    space: tree.vip_space,
  });
  if (tree.additional_subnet_id === null || tree.additional_space === null) return [first];
  const second = await addressOf(db, tree, provider, {
    column: 'additional_address',
    address: tree.additional_address,
    reserved: tree.reserved_additional,
    subnetId: tree.additional_subnet_id,
    space: tree.additional_space,
  });
  return [first, second];
}

async function addressOf(
  db: Db,
  { id, region_id: regionId }: LoadBalancerTree,
  provider: AddressProvider,
  { column, address, reserved, subnetId, space }: Vip,
): Promise<string> {
  if (address !== null) return address;
  if (reserved !== null) {
    const stored = await storeAddress[column](db, id, reserved);
    if (stored !== undefined) return stored;
    throw new TaskFailed(`${reserved} is in use by something else`);
  }
  return allocateAddress(db, provider, {
    id,
    regionId,
    space,
    subnetId,
    store: (tx, candidate) => storeAddress[column](tx, id, candidate),
  });
}

/** Asks the data plane how it is and prepares what ends the task's hold. */
async function settling(
  { task }: TaskRun,
  tree: LoadBalancerTree,
  provider: LoadBalancerProvider,
): Promise<(tx: Tx) => Promise<void>> {
  const observed = (await provider.observe([tree.id])).get(tree.id);
  const { status, parts } = healthOf(tree, observed);
  const held = { id: tree.id, taskId: task.id, isNew: tree.version === 1 };
  return async (tx) => settleLoadBalancer(tx, held, status, parts);
}
