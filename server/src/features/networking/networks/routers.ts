import type { Queryable, Tx } from '../../../platform/database/db.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import type { TaskRun, Wait } from '../../../platform/tasks/handler.ts';
import type { AddressSubnet } from './address-subnets.ts';
import type { DesiredRouter, NetworkProvider } from './port.ts';

/** Routers, as networks and subnets need them; handed in, because routers need networks themselves. */
export interface NetworkRouters {
  /** Makes the router that comes with a new network, in the hold of the task that creates both. */
  addTo(
    tx: Tx,
    ctx: RegionContext,
    network: { readonly id: string; readonly name: string },
    taskId: string,
  ): Promise<void>;
  /** Makes the routers that a task holds what they are to be.
   *  @returns what stores what is known then */
  apply(run: TaskRun, provider: NetworkProvider): Promise<Wait | ((tx: Tx) => Promise<void>)>;
  /** The same for the routers that are attached to a subnet. @param how `without it`: they are to leave it */
  applyIn(
    run: TaskRun,
    provider: NetworkProvider,
    subnetId: string,
    how?: 'without it',
  ): Promise<Wait | ((tx: Tx) => Promise<void>)>;
  /** Ids of the routers that are attached to a subnet. */
  attachedTo(db: Queryable, subnetId: string): Promise<string[]>;
  /** What the region is to have of these routers. */
  desired(db: Queryable, ids: readonly string[]): Promise<DesiredRouter[]>;
  /** Ids of the routers that a task holds. */
  heldBy(db: Queryable, taskId: string): Promise<string[]>;
  /** Ends the task's hold on routers. */
  settle(tx: Tx, taskId: string): Promise<void>;
  /** Gives the network's own router to the task that deletes both.
   *  @throws Conflict when it joins subnets of other networks too, or another task holds it */
  hold(tx: Tx, networkId: string, taskId: string): Promise<void>;
  /** Removes the network's own router, while the task holds it.
   *  @returns how many routers went */
  drop(tx: Tx, networkId: string, taskId: string, timestamp: string): Promise<number>;
  /** Attaches a new subnet to a router, or to its network's own one if there is any.
   *  @throws NotFound for the router, Conflict when it is held or cannot have the subnet */
  connect(tx: Tx, ctx: RegionContext, scope: AddressSubnet, routerId: string | undefined): Promise<void>;
  /** Gives the network's own router, if it has the subnet's old gateway address, the new one; without a new one it
   *  leaves the subnet. */
  follow(
    tx: Tx,
    subnetId: string,
    gateway: { readonly from: string; readonly to: string | null; readonly timestamp: string },
  ): Promise<void>;
  /** @throws Conflict when a static route of the network's own router leads through the subnet */
  refuseRouted(tx: Tx, subnetId: string): Promise<void>;
  /** Detaches a subnet that goes from whatever router it has. */
  disconnect(tx: Tx, subnetId: string, timestamp: string): Promise<void>;
}
