import { NotFound } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import { isUuid } from '../../kernel/ids.ts';
import { UUID_RULE } from '../../kernel/rules.ts';
import type { Tx } from '../../platform/database/db.ts';
import { viewPage } from '../../platform/database/list-page.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { refuseUnstorable } from '../../platform/http/json.ts';
import { parseTagFilters } from '../../platform/http/tag-filters.ts';
import { givenTags } from '../../platform/http/tags.ts';
import { startFor, type TaskRef } from '../../platform/tasks/start.ts';
import { guardProject } from '../projects/index.ts';
import { reserve } from '../quotas/index.ts';
import { nextAttachment } from './attaching.ts';
import { requireVolumes, type VolumeDeps } from './deps.ts';
import { checkPolicies, joinPolicies } from './lifecycle-policies/volumes.ts';
import { listVolumes, readVolume } from './list-store.ts';
import { requireState, statusDuring, UNATTACHED } from './model.ts';
import {
  checkRequested,
  newVolume,
  type RequestedVolume,
  readSources,
  requestedSource,
} from './new-volume.ts';
import type { CreateVolume, UpdateVolume, VolumeListQuery } from './schema.ts';
import { lockDeletedWithVolume } from './snapshots/deleted-with-volume.ts';
import { holdForDeletion } from './snapshots/store.ts';
import * as store from './store.ts';
import { updateTraits } from './traits.ts';
import { viewVolume } from './views.ts';

/** Volumes come and go, and are read; what else can be done to one is in actions.ts. */
export class VolumeService {
  readonly #deps: VolumeDeps;

  constructor(deps: VolumeDeps) {
    this.#deps = deps;
  }

  /** @throws Invalid with every fault, NotFound for the instance, Conflict when it accepts no volume, Forbidden,
   *  QuotaExceeded */
  async create(ctx: RegionContext, input: CreateVolume): Promise<TaskRef> {
    const faults = new Faults();
    const requested = requestedOf(input, faults);
    requireVolumes(this.#deps, ctx);
    return ctx.db.transaction(async (tx) => {
      await guardProject(tx, ctx.project.id);
      const sources = await readSources(tx, ctx, this.#deps, requested.source ? [requested.source] : []);
      checkRequested(requested, sources, faults);
      const policies = await checkPolicies(tx, ctx.scope, input.lifecycle_policy_ids ?? [], faults);
      faults.refuse();
      const taskId = ctx.ids.uuid();
      const volume = newVolume(ctx, requested, sources, taskId, await attachmentFor(tx, ctx, input));
      await store.insertVolume(tx, volume);
      await joinPolicies(tx, volume.id, policies);
      const task = await startFor(tx, ctx, 'create_volume', volume, { id: taskId });
      await reserve(tx, ctx.quota, { volume_count: 1, volume_size: volume.size });
      return task;
    });
  }

  /** Changes name and tags at once.
   *  @throws Invalid, NotFound, Locked naming the task that holds it */
  async update(ctx: RegionContext, id: string, input: UpdateVolume) {
    requireVolumes(this.#deps, ctx);
    await updateTraits(ctx, 'volume', { id, lockFree: store.lockFreeVolume }, input);
    return this.get(ctx, id);
  }

  /** @param snapshots ids with commas between: those that go with it
   *  @throws NotFound, Conflict when it is attached, has other snapshots, or a task holds it; Invalid for snapshots
   *  that it does not have */
  async delete(ctx: RegionContext, id: string, snapshots = ''): Promise<TaskRef> {
    requireVolumes(this.#deps, ctx);
    return ctx.db.transaction(async (tx) => {
      const row = await store.lockVolume(tx, id, ctx.scope);
      requireState(row, 'delete');
      const deleted = await lockDeletedWithVolume(tx, row, snapshots);
      const taskId = ctx.ids.uuid();
      await store.holdVolume(tx, id, taskId, statusDuring('delete'));
      for (const snapshot of deleted) await holdForDeletion(tx, snapshot.id, taskId);
      return startFor(tx, ctx, 'delete_volume', row, { id: taskId });
    });
  }

  /** @throws NotFound */
  async get(ctx: RegionContext, id: string) {
    const row = await readVolume(ctx.db, id, ctx.scope);
    if (!row) throw new NotFound(`Volume ${id} was not found`);
    return viewVolume(row, ctx.region.name);
  }

  /** @throws Invalid naming every faulty filter */
  async list(ctx: RegionContext, query: VolumeListQuery) {
    refuseUnstorable(query, 'query');
    const page = await listVolumes(ctx.db, {
      ...ctx.scope,
      ...parseTagFilters(query),
      bootable: query.bootable,
      attached: query.has_attachments,
      clusterId: query.cluster_id,
      instanceId: query.instance_id,
      idPart: query.id_part,
      namePart: query.name_part,
      limit: query.limit,
      offset: query.offset,
    });
    return viewPage(page, (row) => viewVolume(row, ctx.region.name));
  }
}

/** @returns the wish; what is wrong with the body is in the faults */
function requestedOf(input: CreateVolume, faults: Faults): RequestedVolume {
  const instance = instanceOf(input);
  if (instance !== undefined && !isUuid(instance)) {
    faults.add('instance_id_to_attach_to', UUID_RULE);
  }
  if (input.attachment_tag !== undefined && instance === undefined) {
    faults.add('attachment_tag', 'needs instance_id_to_attach_to');
  }
  return {
    name: input.name,
    size: input.size,
    type: input.type_name,
    source: requestedSource(input),
    tags: givenTags(input, faults),
  };
}

/** The contract publishes a plain text, which may be empty: older clients send that for what they do not give. */
const instanceOf = ({ instance_id_to_attach_to: id }: CreateVolume) => (id === '' ? undefined : id);

async function attachmentFor(tx: Tx, ctx: RegionContext, input: CreateVolume) {
  const instance = instanceOf(input);
  return instance === undefined ? UNATTACHED : nextAttachment(tx, ctx, instance, input.attachment_tag);
}
