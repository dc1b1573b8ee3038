import { TaskFailed } from '../../../kernel/errors.ts';
import { done, type TaskHandler, type TaskRun, waitFor } from '../../../platform/tasks/handler.ts';
import type { Settings } from '../model.ts';
import type { RegionProviders } from '../region-providers.ts';
import { markFailed, restoreLoadBalancer } from '../store.ts';
import { readTree } from '../tree-store.ts';
import { addressOf, MINUTE_MS, settling, treeOf } from './common.ts';

export interface UpdateInput {
  /** To go back to when the data plane cannot follow. */
  readonly previous: Settings;
  /** The version that carries the change. */
  readonly version: number;
}

/** Makes the data plane follow changed settings; when it cannot, the old ones are back. */
export function updateTask(providers: RegionProviders): TaskHandler {
  return {
    type: 'update_loadbalancer',
    deadlineMs: 15 * MINUTE_MS,
    async run(run) {
      const provider = providers.forTask(run.task.regionId);
      const tree = await treeOf(run);
      const address = await addressOf(run.db, tree, provider);
      await providers.afterPass(run.task.regionId);
      const waiting = waitFor(
        await provider.apply(await providers.desired(run.db, tree, address), run.operation),
      );
      return waiting ?? done({}, await settling(run, tree, provider));
    },
    async undo(run) {
      const { previous, version } = run.task.input as UpdateInput;
      const { id: taskId, subject: id } = run.task;
      await restoreLoadBalancer(run.db, { id, taskId, changed: version }, previous);
      try {
        return await reapply(run, providers);
      } catch (error) {
        if (!(error instanceof TaskFailed)) throw error;
        run.log.warn({ err: error }, 'the data plane did not take the previous settings back either');
        return done({}, (tx) => markFailed(tx, id, taskId));
      }
    },
  };
}

async function reapply(run: TaskRun, providers: RegionProviders) {
  const { task, operation } = run;
  const tree = await readTree(run.db, task.subject);
  if (tree?.task_id !== task.id) return done();
  const provider = providers.forTask(task.regionId);
  const address = await addressOf(run.db, tree, provider);
  const restoring = { ...operation, key: `${operation.key}-undo`, type: 'restore_loadbalancer' };
  const waiting = waitFor(await provider.apply(await providers.desired(run.db, tree, address), restoring));
  return waiting ?? done({}, await settling(run, tree, provider));
}
