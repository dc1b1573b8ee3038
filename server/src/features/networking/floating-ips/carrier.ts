import type { TSchema } from '@sinclair/typebox';
import type { Tx } from '../../../platform/database/db.ts';
import type { RegionContext, Scoped } from '../../../platform/http/context.ts';
import type { TaskRun, Wait } from '../../../platform/tasks/handler.ts';

/** What floating IPs lead to whose data plane must serve them. Load balancers are that; they implement this, and are
 *  handed in, because they need floating IPs themselves. Other ports have nothing to serve. */
export interface Carrier {
  /** What it looks like in lists of floating IPs. */
  readonly schema: TSchema;
  /** Those of these ids that exist, as the schema says. */
  views(ctx: RegionContext, ids: readonly string[]): Promise<ReadonlyMap<string, object>>;
  /** Locks it and gives it to the task until that ends.
   *  @throws NotFound, Conflict when another task holds it or it has no address yet */
  hold(tx: Tx, where: Scoped, taskId: string): Promise<CarrierRef>;
  /** Notes that its floating IP has come or gone, while the task holds it. */
  changed(tx: Tx, id: string, taskId: string): Promise<void>;
  /** Makes the data plane serve what the database says. @returns what ends the task's hold
   *  @throws TaskFailed when the data plane refuses */
  converge(run: TaskRun, id: string): Promise<Wait | Settle>;
  /** Ends the task's hold in ERROR. */
  fail(tx: Tx, id: string, taskId: string): Promise<void>;
}

export type Settle = (tx: Tx) => Promise<void>;

export interface CarrierRef {
  readonly id: string;
  readonly portId: string;
  /** Its own address, which its floating IP stands for. */
  readonly address: string;
}

/** Virtual machines, as lists of floating IPs show them; handed in for the same reason. */
export interface InstanceSummaries {
  readonly schema: TSchema;
  /** Those of these ids that exist, as the schema says. */
  views(ctx: RegionContext, ids: readonly string[]): Promise<ReadonlyMap<string, object>>;
}
