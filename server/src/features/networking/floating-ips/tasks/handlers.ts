import type { Tx } from '../../../../platform/database/db.ts';
import type { Created } from '../../../../platform/tasks/created-resources.ts';
import {
  type Done,
  done,
  type TaskHandler,
  type TaskRun,
  type Wait,
  waitFor,
} from '../../../../platform/tasks/handler.ts';
import { holdOf, providerOfTask } from '../../../../platform/tasks/providers.ts';
import { release } from '../../../quotas/index.ts';
import type { AddressProvider } from '../../addresses/index.ts';
import type { Settle } from '../carrier.ts';
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
      const settle = (tx: Tx) => releaseFloatingIp(tx, holdOf(run));
      return moved(await move(run, carrier), settle, { floatingips: [run.task.subject] });
    },
    async undo(run) {
      const outcome = await moveBack(run, carrier);
      if (typeof outcome === 'function') await releaseOf(run, { providerOf });
      return moved(outcome, (tx) => forget(run, tx));
    },
  };
}

/** Assigns, moves or unassigns a floating IP; when that fails, it is where it was. */
export function updateFloatingIpTask({ providerOf, carrier }: FloatingIpTaskDeps): TaskHandler {
  return {
    type: 'update_fip',
    deadlineMs: 15 * MINUTE_MS,
    async run(run) {
      const { tags } = run.task.input as MoveInput;
      const waiting = await unattended(run, providerFor(run, { providerOf }));
      return waiting ?? moved(await move(run, carrier), (tx) => releaseFloatingIp(tx, holdOf(run), tags));
    },
    undo: async (run) => moved(await moveBack(run, carrier), (tx) => releaseFloatingIp(tx, holdOf(run))),
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
      const outcome = await move(run, carrier);
      if (typeof outcome === 'function') await releaseOf(run, { providerOf });
      return moved(outcome, (tx) => forget(run, tx));
    },
    undo,
  };
}

/** Ends a move together with what follows it. */
function moved(outcome: Wait | Settle, then: Settle, created: Created = {}): Wait | Done {
  if (typeof outcome !== 'function') return outcome;
  return done(created, async (tx) => {
    await outcome(tx);
    await then(tx);
  });
}

/** Work on a floating IP that concerns no load balancer; otherwise the work is that of the load balancers. */
async function unattended(run: TaskRun, provider: AddressProvider) {
  return balancersOf(run.task.input as MoveInput).length === 0
    ? waitFor(await provider.changeAddress(run.operation))
    : undefined;
}

const providerFor = providerOfTask('floating IPs');

/** Where the region's provider has noted what it gave, it forgets that. */
async function releaseOf({ task }: TaskRun, { providerOf }: Pick<FloatingIpTaskDeps, 'providerOf'>) {
  const provider = task.regionId === null ? undefined : providerOf(task.regionId);
  await provider?.releaseAddress?.(task.subject);
}

async function forget({ task }: TaskRun, tx: Tx): Promise<void> {
  if (await deleteFloatingIp(tx, task.subject, task.id)) await release(tx, task, { floating_count: 1 });
}
