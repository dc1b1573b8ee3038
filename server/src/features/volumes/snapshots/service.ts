import type { Tx } from '../../../platform/database/db.ts';
import { viewPage } from '../../../platform/database/list-page.ts';
import type { RegionContext, RegionTaskContext } from '../../../platform/http/context.ts';
import { refuseUnstorable } from '../../../platform/http/json.ts';
import { checkedTags, viewMetadata, viewTags } from '../../../platform/http/tags.ts';
import { viewChanges, viewScoped } from '../../../platform/http/views.ts';
import { startFor, type TaskRef } from '../../../platform/tasks/start.ts';
import { guardProject } from '../../projects/index.ts';
import { reserve } from '../../quotas/index.ts';
import { requireVolumes, type VolumeDeps } from '../deps.ts';
import { requireState, statusDuring } from '../model.ts';
import { holdVolume, lockVolume } from '../store.ts';
import { updateTraits } from '../traits.ts';
import { refuseCopied } from './deleted-with-volume.ts';
import type { SnapshotRow } from './model.ts';
import type { CreateSnapshot, SnapshotListQuery, UpdateSnapshot } from './schema.ts';
import * as store from './store.ts';

/** Commands on snapshots of volumes, one transaction each, and reads. */
export class SnapshotService {
  readonly #deps: VolumeDeps;

  constructor(deps: VolumeDeps) {
    this.#deps = deps;
  }

  /** @throws Invalid, NotFound for the volume, Conflict when it is busy, Forbidden, QuotaExceeded */
  async create(ctx: RegionContext, input: CreateSnapshot): Promise<TaskRef> {
    const tags = checkedTags(input);
    requireVolumes(this.#deps, ctx);
    const { volume_id: volumeId, name, description = null } = input;
    return ctx.db.transaction((tx) => makeSnapshot(tx, ctx, { volumeId, name, description, tags }));
  }

  /** Changes name and tags at once.
   *  @throws Invalid, NotFound, Locked naming the task that holds it */
  async update(ctx: RegionContext, id: string, input: UpdateSnapshot) {
    requireVolumes(this.#deps, ctx);
    await updateTraits(ctx, 'snapshot', { id, lockFree: store.lockFreeSnapshot }, input);
    return this.get(ctx, id);
  }

  /** @throws NotFound, Conflict when a volume is being filled from it, Locked naming the task that holds it */
  async delete(ctx: RegionContext, id: string): Promise<TaskRef> {
    requireVolumes(this.#deps, ctx);
    return ctx.db.transaction((tx) => deleteSnapshot(tx, ctx, id));
  }

  /** @throws NotFound */
  async get(ctx: RegionContext, id: string) {
    return viewSnapshot(await store.readSnapshot(ctx.db, id, ctx.scope), ctx.region.name);
  }

  /** @throws Invalid for characters that no name has */
  async list(ctx: RegionContext, query: SnapshotListQuery) {
    refuseUnstorable(query, 'query');
    const page = await store.listSnapshots(ctx.db, {
      ...ctx.scope,
      namePart: query.name__contains,
      volumeId: query.volume_id,
      instanceId: query.instance_id,
      scheduleId: query.schedule_id,
      policyId: query.lifecycle_policy_id,
      limit: query.limit,
      offset: query.offset,
    });
    return viewPage(page, (row) => viewSnapshot(row, ctx.region.name));
  }
}

export interface RequestedSnapshot extends Pick<store.NewSnapshot, 'name' | 'description' | 'tags'> {
  readonly volumeId: string;
  /** Of the policy that makes it; absent: somebody asks for it. */
  readonly schedule?: { readonly id: string; readonly policyId: number; readonly expiresAt: Date | null };
}

/** Starts the task that makes a snapshot.
 *  @throws NotFound for the volume, Conflict when it is busy, QuotaExceeded */
export async function makeSnapshot(
  tx: Tx,
  ctx: RegionTaskContext,
  requested: RequestedSnapshot,
): Promise<TaskRef> {
  const { name, description, tags, schedule } = requested;
  await guardProject(tx, ctx.project.id);
  const volume = await lockVolume(tx, requested.volumeId, ctx.scope);
  requireState(volume, 'snapshot');
  const [id, taskId, timestamp] = [ctx.ids.uuid(), ctx.ids.uuid(), ctx.clock.timestamp()];
  await holdVolume(tx, volume.id, taskId, statusDuring('snapshot'));
  const madeBy = { scheduleId: schedule?.id ?? null, expiresAt: schedule?.expiresAt ?? null };
  await store.insertSnapshot(tx, volume, { id, name, description, tags, taskId, timestamp, ...madeBy });
  const ofSchedule = schedule && { lifecycle_policy_id: schedule.policyId, schedule_id: schedule.id };
  const data = { volume_id: volume.id, ...ofSchedule };
  const task = await startFor(tx, ctx, 'create_snapshot', { id, name }, { id: taskId, data });
  await reserve(tx, ctx.quota, { volume_snapshots_count: 1, volume_snapshots_size: volume.size });
  return task;
}

/** Starts the task that deletes a snapshot.
 *  @throws NotFound, Conflict when a volume is being filled from it, Locked naming the task that holds it */
export async function deleteSnapshot(tx: Tx, ctx: RegionTaskContext, id: string): Promise<TaskRef> {
  const row = await store.lockFreeSnapshot(tx, id, ctx.scope);
  await refuseCopied(tx, id);
  const taskId = ctx.ids.uuid();
  await store.holdForDeletion(tx, id, taskId);
  return startFor(tx, ctx, 'delete_snapshot', row, { id: taskId, data: { volume_id: row.volume_id } });
}

/** What of a snapshot is shown. */
function viewSnapshot(row: SnapshotRow, region: string) {
  return viewScoped(row, region, {
    volume_id: row.volume_id,
    name: row.name,
    description: row.description,
    status: row.status,
    size: row.size,
    tags: viewTags(row.tags),
    metadata: viewMetadata(row.tags),
    ...viewChanges(row),
  });
}
