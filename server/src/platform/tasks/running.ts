import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from '../../kernel/log.ts';

/** The log of the run of a task that is under way, for what is done on its behalf without knowing it. */
const logs = new AsyncLocalStorage<Logger>();

/** Where something belongs that is done on behalf of a run; undefined: it belongs to none, or nobody looks closely. */
export const logOfRun = (): Logger | undefined => logs.getStore();

/** Does something as part of a run. */
export function asRun<T>(log: Logger, work: () => Promise<T>): Promise<T> {
  return log.isLevelEnabled('debug') ? logs.run(log, work) : work();
}
