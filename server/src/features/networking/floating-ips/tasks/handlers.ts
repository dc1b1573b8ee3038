import { done, type TaskHandler, type TaskRun, waitFor } from '../../../../platform/tasks/handler.ts';
import { holdOf, providerOfTask } from '../../../../platform/tasks/providers.ts';
import { release } from '../../../quotas/index.ts';
import type { AddressProvider } from '../../addresses/index.ts';
import type { FloatingIpTaskDeps } from '../service.ts';
import { deleteFloatingIp, readAllHeld, releaseFloatingIp } from '../store.ts';
import { giveAddress } from './addresses.ts';
import { balancersOf, MINUTE_MS, type MoveInput, move, moveBack } from './move.ts';

/** Gives a new floating IP its address and assigns it, if asked for; when that fails, nothing of it is left. */
export function createFloatingIpTask({ providerOf, carrier }: FloatingIpTaskDeps): TaskHandler {
  return {
    type: 'create_fip',
    deadlineMs: 15 * MINUTE_MS,
    async run(run) {
      const provider = providerFor(run, { providerOf });
      const waiting = await unattended(run, provider);
      if (waiting) return waiting;
      for (const row of await readAllHeld(run.db, run.task.id)) await giveAddress(run.db, row, provider);
      const moved = await move(run, carrier);
      if (typeof moved !== 'function') return moved;
      return done({ floatingips: [run.task.subject] }, async (tx) => {
        await moved(tx);
        await releaseFloatingIp(tx, holdOf(run));
      });
    },
    async undo(run) {
      const back = await moveBack(run, carrier);
      if (typeof back !== 'function') return back;
      return done({}, async (tx) => {
        await back(tx);
        await forget(run, tx);
      });
    },
  };
}

/** Assigns, moves or unassigns a floating IP; when that fails, it is where it was. */
export function updateFloatingIpTask({ providerOf, carrier }: FloatingIpTaskDeps): TaskHandler {
  return {
    type: 'update_fip',
    deadlineMs: 15 * MINUTE_MS,
    async run(run) {
      const waiting = await unattended(run, providerFor(run, { providerOf }));
      if (waiting) return waiting;
      const moved = await move(run, carrier);
      if (typeof moved !== 'function') return moved;
      const { tags } = run.task.input as MoveInput;
      return done({}, async (tx) => {
        await moved(tx);
        await releaseFloatingIp(tx, holdOf(run), tags);
      });
    },
    async undo(run) {
      const back = await moveBack(run, carrier);
      if (typeof back !== 'function') return back;
      return done({}, async (tx) => {
        await back(tx);
        await releaseFloatingIp(tx, holdOf(run));
      });
    },
  };
}

/** Unassigns a floating IP, then forgets it; when that fails, it is where it was. */
export function deleteFloatingIpTask({ providerOf, carrier }: FloatingIpTaskDeps): TaskHandler {
  const { undo } = updateFloatingIpTask({ providerOf, carrier });
  return {
    type: 'delete_fip',
    deadlineMs: 15 * MINUTE_MS,
    async run(run) {
      const waiting = await unattended(run, providerFor(run, { providerOf }));
      if (waiting) return waiting;
      const moved = await move(run, carrier);
      if (typeof moved !== 'function') return moved;
      return done({}, async (tx) => {
        await moved(tx);
        await forget(run, tx);
      });
    },
    undo,
  };
}

/** Work on a floating IP that concerns no load balancer; otherwise the work is that of the load balancers. */
async function unattended(run: TaskRun, provider: AddressProvider) {
  return balancersOf(run.task.input as MoveInput).length === 0
    ? waitFor(await provider.changeAddress(run.operation))
    : undefined;
}

const providerFor = providerOfTask('floating IPs');

async function forget({ task }: TaskRun, tx: Parameters<typeof deleteFloatingIp>[0]): Promise<void> {
  const { regionId, clientId } = task;
  if (!(await deleteFloatingIp(tx, task.subject, task.id)) || regionId === null) return;
  await release(tx, { clientId, regionId }, { floating_count: 1 });
}
