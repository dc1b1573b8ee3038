import type { TaskHandler } from '../../../platform/tasks/handler.ts';
import type { DataPlanes } from '../data-planes.ts';
import { changeTask } from './change.ts';

/** Replaces what runs behind a load balancer, once for each task: providers know a failover by its type, and
 *  its repetition by its key. What failed half-way is served again by whatever still runs, or is in ERROR. */
export function failoverTask(providers: DataPlanes): TaskHandler {
  return changeTask(providers, 'failover_loadbalancer', async () => {});
}
