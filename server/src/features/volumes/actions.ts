import { Conflict, Invalid } from '../../kernel/errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import { requireFree } from '../../platform/database/held-table.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { type NewTask, startFor, type TaskRef } from '../../platform/tasks/start.ts';
import { reserve } from '../quotas/index.ts';
import { nextAttachment } from './attaching.ts';
import { requireVolumes, type VolumeDeps } from './deps.ts';
import { requireState, statusDuring, type VolumeAction, type VolumeRow } from './model.ts';
import { sizeFault, typeFault } from './new-volume.ts';
import type { AttachVolume, RetypeVolume } from './schema.ts';
import { lockSnapshotsOf } from './snapshots/store.ts';
import * as store from './store.ts';

interface StartMore extends Pick<NewTask, 'input' | 'data'> {
  readonly prepare?: (taskId: string) => Promise<void>;
}

/** What can be done to a volume that is there: one transaction and one task each. */
export class VolumeActions {
  readonly #deps: VolumeDeps;

  constructor(deps: VolumeDeps) {
    this.#deps = deps;
  }

  /** @throws NotFound for either, Conflict when it is attached already, the instance accepts none, or a task holds
   *  one of them */
  async attach(ctx: RegionContext, id: string, input: AttachVolume): Promise<TaskRef> {
    const { instance_id: instanceId, attachment_tag: tag } = input;
    requireVolumes(this.#deps, ctx);
    return ctx.db.transaction(async (tx) => {
      // The instance first, as everybody does who locks both.
      const attachment = await nextAttachment(tx, ctx, instanceId, tag);
      const row = await store.lockVolume(tx, id, ctx.scope);
      requireState(row, 'attach');
      const prepare = (taskId: string) => store.attachVolume(tx, id, taskId, attachment);
      return this.#start(tx, ctx, row, 'attach', { prepare, data: { instance_id: attachment.instance_id } });
    });
  }

  /** @throws NotFound, Conflict when the instance does not have it, boots from it, or a task holds it */
  async detach(ctx: RegionContext, id: string, instanceId: string): Promise<TaskRef> {
    return this.#locked(ctx, id, async (tx, row) => {
      if (row.task_id === null && row.instance_id !== instanceId.toLowerCase()) {
        throw new Conflict(`Volume ${id} is not attached to instance ${instanceId}`);
      }
      requireState(row, 'detach');
      if (row.boot_index === 0) {
        throw new Conflict(
          `Instance ${instanceId} boots from volume ${id}, which stays attached until the instance is deleted`,
        );
      }
      return this.#start(tx, ctx, row, 'detach', { data: { instance_id: row.instance_id } });
    });
  }

  /** @param size GiB
   *  @throws NotFound, Invalid when it does not grow, Conflict when a task holds it, QuotaExceeded */
  async extend(ctx: RegionContext, id: string, size: number): Promise<TaskRef> {
    return this.#locked(ctx, id, async (tx, row) => {
      requireState(row, 'extend');
      const grows = size > row.size;
      const fault = grows ? sizeFault(size) : `must be more than the ${row.size} GiB that it has`;
      if (fault !== undefined) throw new Invalid({ size: [fault] });
      const task = await this.#start(tx, ctx, row, 'extend', { input: { size } });
      const scope = ctx.quota;
      await reserve(tx, scope, { volume_size: size - row.size });
      return task;
    });
  }

  /** Resolves when it has the type; when that takes its time, the volume is `retyping` and gets it later.
   *  @throws NotFound, Invalid for a type that the region does not have, Conflict when a task holds it, or with
   *  the reason when it could not be done */
  async retype(ctx: RegionContext, id: string, { volume_type: type }: RetypeVolume): Promise<void> {
    const types = this.#deps.typesOf(ctx.region.id);
    const task = await this.#locked(ctx, id, async (tx, row) => {
      const fault = typeFault(type, types);
      if (fault !== undefined) throw new Invalid({ volume_type: [fault] });
      requireState(row, 'retype');
      return type === row.type ? { tasks: [] } : this.#start(tx, ctx, row, 'retype', { input: { type } });
    });
    await this.#deps.tasks.settled(ctx, task, `The type of volume ${id} could not be changed`);
  }

  /** Makes it hold again what its last snapshot holds. Resolves when it does; when that takes its time, the volume is
   *  `reverting` and does so later.
   *  @throws NotFound, Conflict when it has no snapshot, is attached, has grown since, or a task holds one of them, or
   *  with the reason when it could not be done */
  async revert(ctx: RegionContext, id: string): Promise<void> {
    const task = await this.#locked(ctx, id, async (tx, row) => {
      requireState(row, 'revert');
      const last = (await lockSnapshotsOf(tx, [row.id]))
        .filter(({ status }) => !status.startsWith('error'))
        .at(-1);
      if (!last) throw new Conflict(`Volume ${id} has no snapshot to revert to`);
      requireFree('Snapshot', last);
      if (last.size !== row.size) {
        throw new Conflict(`Volume ${id} has grown since its last snapshot ${last.id}, of ${last.size} GiB`);
      }
      return this.#start(tx, ctx, row, 'revert', { input: { snapshotId: last.id } });
    });
    await this.#deps.tasks.settled(ctx, task, `Volume ${id} could not be reverted`);
  }

  async #locked(
    ctx: RegionContext,
    id: string,
    work: (tx: Tx, row: VolumeRow) => Promise<TaskRef>,
  ): Promise<TaskRef> {
    requireVolumes(this.#deps, ctx);
    return ctx.db.transaction(async (tx) => work(tx, await store.lockVolume(tx, id, ctx.scope)));
  }

  async #start(
    tx: Tx,
    ctx: RegionContext,
    row: VolumeRow,
    action: VolumeAction,
    { prepare, ...more }: StartMore = {},
  ): Promise<TaskRef> {
    const taskId = ctx.ids.uuid();
    await store.holdVolume(tx, row.id, taskId, statusDuring(action));
    await prepare?.(taskId);
    return startFor(tx, ctx, `${action}_volume`, row, { id: taskId, ...more });
  }
}
