import { TaskFailed } from '../../../../kernel/errors.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import type { StoredTags } from '../../../../platform/http/tags.ts';
import type { TaskRun, Wait } from '../../../../platform/tasks/handler.ts';
import { undoing } from '../../../../platform/tasks/providers.ts';
import { isHeldPort, releasePort } from '../../ports/index.ts';
import type { Carrier, Settle } from '../carrier.ts';
import { sameTarget, type Target } from '../model.ts';
import { moveFloatingIp } from '../store.ts';

export const MINUTE_MS = 60_000;

/** A floating IP's way: what it leads to before and after. */
export interface MoveInput {
  readonly from: Target | null;
  readonly to: Target | null;
  /** Tags that it has in the end; absent: those that it has. */
  readonly tags?: StoredTags;
}

/** The load balancers on the way; the old place first: only one can have the address. */
export function balancersOf({ from, to }: MoveInput): string[] {
  if (sameTarget(from, to)) return [];
  return [...new Set([from, to].flatMap((target) => target?.loadBalancerId ?? []))];
}

/** Moves the floating IP, and makes the load balancers on its way serve or forget it; repeatable.
 *  @returns what ends the task's hold on all that is concerned
 *  @throws TaskFailed when the port is gone */
export async function move(run: TaskRun, carrier: Carrier): Promise<Wait | Settle> {
  const input = run.task.input as MoveInput;
  if (sameTarget(input.from, input.to)) return async () => {};
  if (!(await put(run, carrier, input.to))) throw new TaskFailed(`Port ${input.to?.portId} is gone`);
  return each(run, (id) => carrier.converge(run, id));
}

/** Undoes a move. A load balancer whose data plane does not follow ends in ERROR. */
export async function moveBack(run: TaskRun, carrier: Carrier): Promise<Wait | Settle> {
  const input = run.task.input as MoveInput;
  if (sameTarget(input.from, input.to)) return async () => {};
  if (!(await put(run, carrier, input.from))) await put(run, carrier, null);
  return each(run, async (id) => {
    try {
      return await carrier.converge(restoring(run), id);
    } catch (error) {
      if (!(error instanceof TaskFailed)) throw error;
      run.log.warn(
        { err: error, loadBalancer: id },
        'the data plane failed to serve its former floating IPs again',
      );
      return (tx) => carrier.fail(tx, id, run.task.id);
    }
  });
}

/** Taking back costs a simulated region no time, and never fails there. */
function restoring(run: TaskRun): TaskRun {
  return { ...run, operation: undoing(run, 'restore_loadbalancer') };
}

/** @returns false, and changes nothing, when the port is gone; a load balancer that the task holds stays */
async function put(run: TaskRun, carrier: Carrier, to: Target | null): Promise<boolean> {
  const { id: taskId, subject: id } = run.task;
  return run.db.transaction(async (tx) => {
    if (to?.loadBalancerId === null && !(await isHeldPort(tx, to.portId, taskId))) return false;
    if (await moveFloatingIp(tx, { id, taskId }, to)) {
      for (const balancer of balancersOf(run.task.input as MoveInput))
        await carrier.changed(tx, balancer, taskId);
    }
    return true;
  });
}

async function each(run: TaskRun, converge: (id: string) => Promise<Wait | Settle>): Promise<Wait | Settle> {
  const settles: Settle[] = [];
  for (const id of balancersOf(run.task.input as MoveInput)) {
    const outcome = await converge(id);
    if (typeof outcome !== 'function') return outcome;
    settles.push(outcome);
  }
  return async (tx) => {
    for (const settle of settles) await settle(tx);
    await releasePorts(tx, run);
  };
}

async function releasePorts(tx: Tx, { task, timestamp }: TaskRun): Promise<void> {
  const { from, to } = task.input as MoveInput;
  for (const target of [from, to]) {
    if (target?.loadBalancerId === null)
      await releasePort(tx, { id: target.portId, taskId: task.id, timestamp });
  }
}
