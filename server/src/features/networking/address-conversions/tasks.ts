import { TaskFailed } from '../../../kernel/errors.ts';
import { done, type TaskHandler, type TaskRun, waitFor } from '../../../platform/tasks/handler.ts';
import { providerOfTask } from '../../../platform/tasks/providers.ts';
import { release } from '../../quotas/index.ts';
import { becomeFloatingIp, dropFloatingIp, keepFloatingIp } from '../floating-ips/index.ts';
import { WHOLE_REGION } from '../networks/index.ts';
import { becomeReservedIp, dropReservedIp, releaseReservedIps } from '../reserved-fixed-ips/index.ts';
import type { Conversion, ConversionDeps, ToReserved } from './service.ts';

const DEADLINE_MS = 15 * 60_000;

/** A floating IP becomes a reserved fixed IP; when that fails, it is as it was. */
export const convertFloatingIpTask = (deps: ConversionDeps): TaskHandler => ({
  type: 'convert_fip',
  deadlineMs: DEADLINE_MS,
  async run(run) {
    const input = run.task.input as ToReserved;
    const { subject, id: taskId } = run.task;
    return (
      (await provided(run, deps)) ??
      done({ ports: [input.becomes] }, async (tx) => {
        if (!(await dropFloatingIp(tx, { id: subject, taskId }))) return;
        await becomeReservedIp(tx, { ...newRow(run), ...input, space: WHOLE_REGION });
        await release(tx, run.task, { floating_count: 1 });
      })
    );
  },
  undo: async (run) =>
    done({}, async (tx) => {
      await keepFloatingIp(tx, { id: run.task.subject, taskId: run.task.id, timestamp: run.timestamp });
      await release(tx, run.task, { external_ip_count: 1 });
    }),
});

/** A reserved fixed IP becomes a floating IP; when that fails, it is as it was. */
export const convertReservedIpTask = (deps: ConversionDeps): TaskHandler => ({
  type: 'convert_reserved_fixed_ip',
  deadlineMs: DEADLINE_MS,
  async run(run) {
    const input = run.task.input as Conversion;
    const { subject, id: taskId } = run.task;
    return (
      (await provided(run, deps)) ??
      done({ floatingips: [input.becomes] }, async (tx) => {
        if (!(await dropReservedIp(tx, subject, taskId))) return;
        await becomeFloatingIp(tx, { ...newRow(run), ...input });
        await release(tx, run.task, { external_ip_count: 1 });
      })
    );
  },
  undo: async (run) =>
    done({}, async (tx) => {
      await releaseReservedIps(tx, run.task.id);
      await release(tx, run.task, { floating_count: 1 });
    }),
});

const providerFor = providerOfTask('addresses to give');

async function provided(run: TaskRun, deps: ConversionDeps) {
  return waitFor(await providerFor(run, deps).changeAddress(run.operation));
}

/** What both kinds of addresses have. */
function newRow({ task, timestamp }: TaskRun) {
  const { becomes } = task.input as Conversion;
  const { clientId, id: taskId, projectId, regionId } = task;
  if (projectId === null || regionId === null) throw new TaskFailed('the address is in no project or region');
  return { id: becomes, projectId, regionId, clientId, taskId, timestamp };
}
