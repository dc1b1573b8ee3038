import type { Faults } from '../../kernel/faults.ts';
import type { Tx } from '../../platform/database/db.ts';
import { requireFree } from '../../platform/database/held-table.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { type TaskRun, type Wait, waitFor } from '../../platform/tasks/handler.ts';
import type { Amounts } from '../quotas/index.ts';
import type { VolumeDeps } from './deps.ts';
import { type InstanceVolumePlan, planInstanceVolumes } from './instance-plan.ts';
import { lockAttached } from './instance-store.ts';
import { freeDevices, statusDuring, type VolumeRow } from './model.ts';
import { newVolume } from './new-volume.ts';
import type { VolumeProvider } from './port.ts';
import type { NewInstanceVolume } from './schema-instance.ts';
import { refuseSnapshots } from './snapshots/deleted-with-volume.ts';
import { lockSnapshotsOf } from './snapshots/store.ts';
import * as store from './store.ts';
import { desiredOf, holdOf, providerFor, restoring } from './task-common.ts';
import { attached, forgetVolume, unattached } from './tasks.ts';

/** The volumes of instances. They come and go with them, in the hold of the tasks that create and delete instances:
 *  what is here is called by those, not by clients. Everything may be repeated. */
export class InstanceVolumes {
  readonly #deps: VolumeDeps;

  constructor(deps: VolumeDeps) {
    this.#deps = deps;
  }

  /** Adds to the faults what is wrong with the wishes, under `volumes.N`; changes nothing.
   *  @param input.ram of the instance in MiB
   *  @throws Locked or Conflict when an existing volume cannot be had now */
  plan(
    tx: Tx,
    ctx: RegionContext,
    input: { readonly volumes: readonly NewInstanceVolume[]; readonly ram: number },
    faults: Faults,
  ): Promise<InstanceVolumePlan> {
    return planInstanceVolumes(tx, ctx, this.#deps, input, faults);
  }

  /** Writes what was planned for an instance that is inserted in the same transaction, held by the task.
   *  @returns what it counts into quotas: for the caller to reserve, last */
  async hold(
    tx: Tx,
    ctx: RegionContext,
    { sources, disks }: InstanceVolumePlan,
    to: { readonly instanceId: string; readonly taskId: string },
  ): Promise<Amounts> {
    const devices = freeDevices(new Set(), disks.length);
    let [count, size] = [0, 0];
    for (const [index, disk] of disks.entries()) {
      const attachment = {
        instance_id: to.instanceId,
        attachment_id: ctx.ids.uuid(),
        device: devices[index] ?? null,
        attachment_tag: disk.attachmentTag,
        boot_index: disk.bootIndex,
        delete_on_termination: disk.deleteOnTermination,
        attached_at: null,
      };
      if (disk.existing) {
        await store.holdVolume(tx, disk.existing.id, to.taskId, statusDuring('attach'));
        await store.attachVolume(tx, disk.existing.id, to.taskId, attachment);
      } else if (disk.requested) {
        const row = newVolume(ctx, disk.requested, sources, to.taskId, attachment);
        await store.insertVolume(
          tx,
          row.name === '' ? { ...row, name: `volume-${row.id.slice(0, 8)}` } : row,
        );
        count += 1;
        size += row.size;
      }
    }
    return { volume_count: count, volume_size: size };
  }

  /** Makes the volumes that the task holds for its instance be there, attached to it. */
  apply(run: TaskRun): Promise<Wait | undefined> {
    return this.#each(run, (provider, row) => provider.applyVolume(desiredOf(row), run.operation));
  }

  /** Ends the task's hold on them: the instance has them. @returns the ids of the new ones, in their order */
  async settle(tx: Tx, run: TaskRun): Promise<void> {
    for (const row of await store.readAllHeld(tx, run.task.id)) {
      await store.settleVolume(tx, attached(row, run.timestamp), holdOf(run));
    }
  }

  /** The ids of those that the task makes, the one that the instance boots from first. */
  async created(run: TaskRun): Promise<string[]> {
    const rows = await store.readAllHeld(run.db, run.task.id);
    return rows.flatMap((row) => (isNew(row, run) ? [row.id] : []));
  }

  /** Undoes what `apply` did: new volumes are deleted, existing ones released. */
  undoApply(run: TaskRun): Promise<Wait | undefined> {
    return this.#each(run, (provider, row) =>
      isNew(row, run)
        ? provider.removeVolume(row.id, restoring(run))
        : provider.applyVolume(desiredOf(unattached(row)), restoring(run)),
    );
  }

  /** Forgets new volumes and what they counted, and lets existing ones go; after `undoApply`. */
  async drop(tx: Tx, run: TaskRun): Promise<void> {
    for (const row of await store.readAllHeld(tx, run.task.id)) {
      if (isNew(row, run)) await forgetVolume(tx, row, run.task.id);
      else await store.settleVolume(tx, unattached(row), holdOf(run));
    }
  }

  /** Gives the volumes of an instance, which is locked, to the task that deletes it: those that go with it, or are
   *  named, are deleted, the others are detached.
   *  @returns those of `named` that are no volumes of the instance; then nothing was changed
   *  @throws Locked when a task holds one of them, Conflict when one that goes has snapshots */
  async holdForDeletion(
    tx: Tx,
    of: { readonly instanceId: string; readonly taskId: string; readonly named: readonly string[] },
  ): Promise<readonly string[]> {
    const rows = await lockAttached(tx, of.instanceId);
    const named = new Set(of.named.map((id) => id.toLowerCase()));
    const foreign = [...named].filter((id) => !rows.some((row) => row.id === id));
    if (foreign.length > 0) return foreign;
    for (const row of rows) requireFree('Volume', row);
    const deleted = new Set(
      rows.flatMap((row) => (row.delete_on_termination || named.has(row.id) ? [row.id] : [])),
    );
    refuseSnapshots(await lockSnapshotsOf(tx, [...deleted]));
    for (const { id } of rows) {
      await store.holdVolume(tx, id, of.taskId, statusDuring(deleted.has(id) ? 'delete' : 'detach'));
    }
    return [];
  }

  /** Deletes or detaches the volumes that the task holds; when the instance no longer runs. */
  remove(run: TaskRun): Promise<Wait | undefined> {
    return this.#each(run, (provider, row) =>
      goes(row)
        ? provider.removeVolume(row.id, run.operation)
        : provider.applyVolume(desiredOf(unattached(row)), run.operation),
    );
  }

  /** Forgets those that went and what they counted, and lets the others go; before the instance's row goes. */
  async forget(tx: Tx, run: TaskRun): Promise<void> {
    for (const row of await store.readAllHeld(tx, run.task.id)) {
      if (goes(row)) await forgetVolume(tx, row, run.task.id);
      else await store.settleVolume(tx, unattached(row), holdOf(run));
    }
  }

  /** Undoes `remove`, for an instance that stays. */
  undoRemove(run: TaskRun): Promise<Wait | undefined> {
    return this.#each(run, (provider, row) => provider.applyVolume(desiredOf(row), restoring(run)));
  }

  async #each(
    run: TaskRun,
    work: (provider: VolumeProvider, row: VolumeRow) => ReturnType<VolumeProvider['applyVolume']>,
  ): Promise<Wait | undefined> {
    const rows = await store.readAllHeld(run.db, run.task.id);
    if (rows.length === 0) return undefined;
    const provider = providerFor(run, this.#deps);
    const waits: Wait[] = [];
    for (const row of rows) {
      const waiting = waitFor(await work(provider, row));
      if (waiting) waits.push(waiting);
    }
    return waits.sort((a, b) => a.ms - b.ms)[0];
  }
}

const isNew = (row: VolumeRow, { task }: TaskRun) => row.creator_task_id === task.id;
const goes = ({ status }: VolumeRow) => status === statusDuring('delete');
