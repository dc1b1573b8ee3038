import { TaskFailed } from '../../../kernel/errors.ts';
import type { Tx } from '../../../platform/database/db.ts';
import type { Hold } from '../../../platform/database/held-table.ts';
import { done, type TaskHandler, type TaskRun, waitFor } from '../../../platform/tasks/handler.ts';
import { holdOf, providerOfTask } from '../../../platform/tasks/providers.ts';
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
  run: (run) =>
    converted<ToReserved>(run, deps, 'ports', async (tx, input, { id, taskId }) => {
      if (!(await dropFloatingIp(tx, { id, taskId }))) return;
      await becomeReservedIp(tx, { ...newRow(run), ...input, space: WHOLE_REGION });
      await release(tx, run.task, { floating_count: 1 });
    }),
  undo: async (run) =>
    done({}, async (tx) => {
      await keepFloatingIp(tx, holdOf(run));
      await release(tx, run.task, { external_ip_count: 1 });
    }),
});

/** A reserved fixed IP becomes a floating IP; when that fails, it is as it was. */
export const convertReservedIpTask = (deps: ConversionDeps): TaskHandler => ({
  type: 'convert_reserved_fixed_ip',
  deadlineMs: DEADLINE_MS,
  run: (run) =>
    converted<Conversion>(run, deps, 'floatingips', async (tx, input, { id, taskId }) => {
      if (!(await dropReservedIp(tx, id, taskId))) return;
      await becomeFloatingIp(tx, { ...newRow(run), ...input });
      await release(tx, run.task, { external_ip_count: 1 });
    }),
  undo: async (run) =>
    done({}, async (tx) => {
      await releaseReservedIps(tx, run.task.id);
      await release(tx, run.task, { floating_count: 1 });
    }),
});

const providerFor = providerOfTask('addresses to give');

/** The provider changes the address; then `convert` makes of it what it becomes.
 *  @param kind of what it becomes, as tasks name it */
async function converted<Input extends Conversion>(
  run: TaskRun,
  deps: ConversionDeps,
  kind: 'ports' | 'floatingips',
  convert: (tx: Tx, input: Input, hold: Hold) => Promise<void>,
) {
  const input = run.task.input as Input;
  const waiting = waitFor(await providerFor(run, deps).changeAddress(run.operation));
  return waiting ?? done({ [kind]: [input.becomes] }, (tx) => convert(tx, input, holdOf(run)));
}

/** What both kinds of addresses have. */
function newRow({ task, timestamp }: TaskRun) {
  const { becomes } = task.input as Conversion;
  const { clientId, id: taskId, projectId, regionId } = task;
  if (projectId === null || regionId === null) throw new TaskFailed('the address is in no project or region');
  return { id: becomes, projectId, regionId, clientId, taskId, timestamp };
}
