import { TaskFailed } from '../../../kernel/errors.ts';
import type { Done, TaskRun, Wait } from '../../../platform/tasks/handler.ts';
import { done, waitFor } from '../../../platform/tasks/handler.ts';
import type { RegionProviders } from '../region-providers.ts';
import { markFailed } from '../store.ts';
import { readTree } from '../tree-store.ts';
import { addressOf, settling, treeOf } from './common.ts';

/** What providers are told when something is taken back; it costs no simulated time. */
const RESTORING = 'restore_loadbalancer';

/** The end of an undo: the data plane is told once more what the database says, after the undo has put that
 *  right. When it does not take that either, the load balancer is in ERROR, to be repaired or deleted. */
export async function reapplyOrFail(run: TaskRun, providers: RegionProviders): Promise<Done | Wait> {
  const { id: taskId, subject: id } = run.task;
  try {
    return await reapply(run, providers);
  } catch (error) {
    if (!(error instanceof TaskFailed)) throw error;
    run.log.warn({ err: error }, 'the data plane did not take the previous settings back either');
    return done({}, (tx) => markFailed(tx, id, taskId));
  }
}

async function reapply(run: TaskRun, providers: RegionProviders): Promise<Done | Wait> {
  const { task, operation } = run;
  const tree = await readTree(run.db, task.subject);
  if (tree?.task_id !== task.id) return done();
  const provider = providers.forTask(task.regionId);
  const address = await addressOf(run.db, tree, provider);
  await providers.afterPass(task.regionId);
  const restoring = { ...operation, key: `${operation.key}-undo`, type: RESTORING };
  const desired = await providers.desired(run.db, tree, address);
  const waiting = waitFor(await provider.apply(desired, restoring));
  return waiting ?? done({}, await settling(run, tree, provider));
}

/** One step of a task that makes the data plane follow what the database says. */
export async function applyTree(run: TaskRun, providers: RegionProviders): Promise<Done | Wait> {
  const provider = providers.forTask(run.task.regionId);
  const tree = await treeOf(run);
  const address = await addressOf(run.db, tree, provider);
  await providers.afterPass(run.task.regionId);
  const desired = await providers.desired(run.db, tree, address);
  const waiting = waitFor(await provider.apply(desired, run.operation));
  return waiting ?? done({}, await settling(run, tree, provider));
}
