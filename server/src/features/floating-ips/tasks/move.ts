import { TaskFailed } from '../../../kernel/errors.ts';
import type { StoredTags } from '../../../platform/http/tags.ts';
import type { TaskRun, Wait } from '../../../platform/tasks/handler.ts';
import type { Carrier, Settle } from '../carrier.ts';
import { moveFloatingIp } from '../store.ts';

export const MINUTE_MS = 60_000;

/** A floating IP's way: the load balancers (or null) that carry it before and after. */
export interface MoveInput {
  readonly from: string | null;
  readonly to: string | null;
  /** Tags that it has in the end; absent: those that it has. */
  readonly tags?: StoredTags;
}

/** Moves the floating IP, and makes the load balancers on its way serve or forget it; repeatable.
 *  @returns what ends the task's hold on them */
export async function move(run: TaskRun, carrier: Carrier): Promise<Wait | Settle> {
  const { from, to } = run.task.input as MoveInput;
  if (from === to) return async () => {};
  await put(run, carrier, to);
  // The old place first: only one can have the address.
  return each([from, to], (id) => carrier.converge(run, id));
}

/** Takes a move back. A load balancer whose data plane does not follow ends in ERROR. */
export async function moveBack(run: TaskRun, carrier: Carrier): Promise<Wait | Settle> {
  const { from, to } = run.task.input as MoveInput;
  if (from === to) return async () => {};
  await put(run, carrier, from);
  return each([to, from], async (id) => {
    try {
      return await carrier.converge(restoring(run), id);
    } catch (error) {
      if (!(error instanceof TaskFailed)) throw error;
      run.log.warn({ err: error, loadBalancer: id }, 'the data plane did not take its floating IPs back');
      return (tx) => carrier.fail(tx, id, run.task.id);
    }
  });
}

/** Taking back costs a simulated region no time, and never fails there. */
function restoring(run: TaskRun): TaskRun {
  const { operation } = run;
  return { ...run, operation: { ...operation, key: `${operation.key}-undo`, type: 'restore_loadbalancer' } };
}

async function put(run: TaskRun, carrier: Carrier, to: string | null): Promise<void> {
  const { id: taskId, subject: id, input } = run.task;
  const ends = input as MoveInput;
  await run.db.transaction(async (tx) => {
    if (!(await moveFloatingIp(tx, { id, taskId }, to))) return;
    for (const carrierId of [ends.from, ends.to]) {
      if (carrierId !== null) await carrier.changed(tx, carrierId, taskId);
    }
  });
}

async function each(
  ids: readonly (string | null)[],
  converge: (id: string) => Promise<Wait | Settle>,
): Promise<Wait | Settle> {
  const settles: Settle[] = [];
  for (const id of ids) {
    if (id === null) continue;
    const outcome = await converge(id);
    if (typeof outcome !== 'function') return outcome;
    settles.push(outcome);
  }
  return async (tx) => {
    for (const settle of settles) await settle(tx);
  };
}
