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
import { desiredFloatingIp } from '../desired.ts';
import type { FloatingIpTaskDeps } from '../service.ts';
import { deleteFloatingIp, readAllHeld, readFloatingIps, releaseFloatingIp } from '../store.ts';
import { giveAddress } from './addresses.ts';
import { balancersOf, MINUTE_MS, type MoveInput, move, moveBack } from './move.ts';

/** Gives a new floating IP its address and assigns it, if asked for; when that fails, nothing of it is left. */
export function createFloatingIpTask(deps: FloatingIpTaskDeps): TaskHandler {
  const { providerOf, carrier } = deps;
  return {
    type: 'create_fip',
    deadlineMs: 15 * MINUTE_MS,
    async run(run) {
      const provider = providerFor(run, { providerOf });
      const waiting = await unattended(run, provider);
      if (waiting) return waiting;
      for (const row of await readAllHeld(run.db, run.task.id)) await giveAddress(run.db, row, provider);
      const settle = (tx: Tx) => releaseFloatingIp(tx, holdOf(run));
      return moved(await led(run, deps, await move(run, carrier)), settle, {
        floatingips: [run.task.subject],
      });
    },
    async undo(run) {
      const outcome = await moveBack(run, carrier);
      if (typeof outcome !== 'function') return outcome;
      const waiting = await removed(run, deps);
      if (waiting) return waiting;
      await releaseOf(run, { providerOf });
      return moved(outcome, (tx) => forget(run, tx));
    },
  };
}

/** Assigns, moves or unassigns a floating IP; when that fails, it is where it was. */
export function updateFloatingIpTask(deps: FloatingIpTaskDeps): TaskHandler {
  const { providerOf, carrier } = deps;
  return {
    type: 'update_fip',
    deadlineMs: 15 * MINUTE_MS,
    async run(run) {
      const { tags } = run.task.input as MoveInput;
      const waiting = await unattended(run, providerFor(run, { providerOf }));
      if (waiting) return waiting;
      const outcome = await led(run, deps, await move(run, carrier));
      return moved(outcome, (tx) => releaseFloatingIp(tx, holdOf(run), tags));
    },
    async undo(run) {
      const outcome = await led(run, deps, await moveBack(run, carrier));
      return moved(outcome, (tx) => releaseFloatingIp(tx, holdOf(run)));
    },
  };
}

/** Unassigns a floating IP, then forgets it; when that fails, it is where it was. */
export function deleteFloatingIpTask(deps: FloatingIpTaskDeps): TaskHandler {
  const { providerOf, carrier } = deps;
  const { undo } = updateFloatingIpTask(deps);
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

/** The region leads it where the database says; where that is a load balancer, that one does it. */
async function led(
  run: TaskRun,
  { networksOf }: FloatingIpTaskDeps,
  outcome: Wait | Settle,
): Promise<Wait | Settle> {
  const { regionId, subject } = run.task;
  const networks = regionId === null ? undefined : networksOf(regionId);
  if (typeof outcome !== 'function' || !networks) return outcome;
  const [row] = await readFloatingIps(run.db, [subject]);
  const waiting = row && waitFor(await networks.apply(desiredFloatingIp(row), run.operation));
  return waiting ?? outcome;
}

/** The region no longer leads it anywhere. */
async function removed(run: TaskRun, { networksOf }: FloatingIpTaskDeps): Promise<Wait | undefined> {
  const { regionId, subject: id } = run.task;
  const networks = regionId === null ? undefined : networksOf(regionId);
  return networks && waitFor(await networks.remove({ kind: 'floating_ip', id }, run.operation));
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
