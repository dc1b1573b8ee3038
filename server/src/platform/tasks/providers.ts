import { NotOffered, TaskFailed } from '../../kernel/errors.ts';
import type { Hold } from '../database/held-table.ts';
import type { RegionScope } from '../http/context.ts';
import type { TaskRun } from './handler.ts';

/** Who serves a kind of resource in a region; undefined: nobody does there. */
export interface Providers<P> {
  providerOf(regionId: number): P | undefined;
}

/** For the writes of a service. @param what the region would have: `volumes`
 *  @throws NotOffered (403) when the region has none */
export function requireProvider<P>(deps: Providers<P>, region: RegionScope, what: string): P {
  const provider = deps.providerOf(region.id);
  if (!provider) throw new NotOffered(`Region ${region.name} has no ${what}`);
  return provider;
}

/** For the tasks of a noun: the provider of the task's region.
 *  @throws TaskFailed when the region has lost it */
export const providerOfTask =
  (what: string) =>
  <P>({ task }: Pick<TaskRun, 'task'>, deps: Providers<P>): P => {
    const provider = task.regionId === null ? undefined : deps.providerOf(task.regionId);
    if (!provider) throw new TaskFailed(`Region ${task.regionId} has no ${what}`);
    return provider;
  };

/** What names a row that a task holds, to release it. */
export const holdOf = ({ task, timestamp }: TaskRun): Hold => ({
  id: task.subject,
  taskId: task.id,
  timestamp,
});

/** What a run says to providers that undo: a simulated region does that at once, and never fails it.
 *  @param type how the port calls that */
export const undoing = ({ operation }: Pick<TaskRun, 'operation'>, type: string) => ({
  ...operation,
  key: `${operation.key}-undo`,
  type,
});
