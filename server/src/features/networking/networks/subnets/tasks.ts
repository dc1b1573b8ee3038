import { done, type TaskHandler, type TaskRun } from '../../../../platform/tasks/handler.ts';
import { release } from '../../../quotas/index.ts';
import type { NetworkDeps } from '../service.ts';
import { DEADLINE_MS, provided } from '../tasks.ts';
import { deleteSubnet, releaseSubnets } from './store.ts';

const forget = ({ task, timestamp }: TaskRun, { routers }: NetworkDeps) =>
  done({}, async (tx) => {
    await routers.disconnect(tx, task.subject, timestamp);
    if (await deleteSubnet(tx, task.subject, task.id)) await release(tx, task, { subnet_count: 1 });
  });

/** A new subnet; when that fails, nothing of it is left. */
export const createSubnetTask = (deps: NetworkDeps): TaskHandler => ({
  type: 'create_subnet',
  deadlineMs: DEADLINE_MS,
  async run(run) {
    const { subject, id } = run.task;
    return (await provided(run, deps)) ?? done({ subnets: [subject] }, (tx) => releaseSubnets(tx, id));
  },
  undo: async (run) => forget(run, deps),
});

/** Deletes a subnet; when that fails, it is as it was. */
export const deleteSubnetTask = (deps: NetworkDeps): TaskHandler => ({
  type: 'delete_subnet',
  deadlineMs: DEADLINE_MS,
  run: async (run) => (await provided(run, deps)) ?? forget(run, deps),
  undo: async ({ task }) => done({}, (tx) => releaseSubnets(tx, task.id)),
});
