import { Conflict } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import { checkCredentials } from '../../kernel/rules.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import type { Tx } from '../../platform/database/db.ts';
import { viewPage } from '../../platform/database/list-page.ts';
import { pick } from '../../platform/database/rows.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { refuseUnstorable } from '../../platform/http/json.ts';
import { parseTagFilters } from '../../platform/http/tag-filters.ts';
import { checkedTags, givenTags, patchTags } from '../../platform/http/tags.ts';
import { requireProvider } from '../../platform/tasks/providers.ts';
import { startFor, type TaskRef } from '../../platform/tasks/start.ts';
import { guardProject } from '../projects/index.ts';
import { reserve } from '../quotas/index.ts';
import { filledFrom, holdForImage, madeFrom } from '../volumes/index.ts';
import { listImages } from './list-store.ts';
import type { ImageTraits } from './model.ts';
import type { ImageProvider } from './port.ts';
import type { CreateImage, DownloadImage, ImageListQuery, UpdateImage } from './schema.ts';
import * as store from './store.ts';
import { viewImage } from './views.ts';

export interface ImageDeps {
  providerOf(regionId: number): ImageProvider | undefined;
}

/** GiB that an image from an address counts as where nothing is fetched: clients regard one without a size as one that
 *  is not there yet. */
const FETCHED_SIZE = 1;

/** Commands on images, one transaction each, and reads. */
export class ImageService {
  readonly #deps: ImageDeps;

  constructor(deps: ImageDeps) {
    this.#deps = deps;
  }

  /** @throws Invalid, NotFound for the volume, Conflict when it is busy, Forbidden, QuotaExceeded */
  async create(ctx: RegionContext, input: CreateImage): Promise<TaskRef> {
    const traits = traitsOf(input);
    return this.#insert(ctx, 'create_image', traits, async (tx, taskId) => {
      const volume = await holdForImage(tx, input.volume_id, ctx.scope, taskId);
      // A volume that came from an image still is what that was.
      const origin = volume.image_metadata ?? {};
      return {
        osDistro: origin.os_distro ?? traits.os_type,
        osVersion: origin.os_version ?? '',
        size: volume.size,
        minRam: Number(origin.min_ram ?? 0),
        volumeId: volume.id,
        sourceUrl: null,
        keptForVolumes: false,
      };
    });
  }

  /** An image of the file at an address.
   *  @throws Invalid, Forbidden, QuotaExceeded */
  async download(ctx: RegionContext, input: DownloadImage): Promise<TaskRef> {
    const faults = new Faults();
    checkDownload(input, faults);
    faults.refuse();
    const traits = traitsOf(input);
    return this.#insert(ctx, 'download_image', traits, async () => ({
      osDistro: input.os_distro ?? traits.os_type,
      osVersion: input.os_version ?? '',
      size: FETCHED_SIZE,
      minRam: 0,
      volumeId: null,
      sourceUrl: input.url,
      keptForVolumes: input.cow_format,
    }));
  }

  async #insert(
    ctx: RegionContext,
    task: 'create_image' | 'download_image',
    traits: ImageTraits,
    originOf: (tx: Tx, taskId: string) => Promise<store.Origin>,
  ): Promise<TaskRef> {
    this.#require(ctx);
    const { clientId } = ctx.project;
    return ctx.db.transaction(async (tx) => {
      await guardProject(tx, ctx.scope.projectId);
      const [id, taskId] = [ctx.ids.uuid(), ctx.ids.uuid()];
      const origin = await originOf(tx, taskId);
      const timestamp = ctx.clock.timestamp();
      await store.insertImage(tx, { ...traits, ...ctx.scope, ...origin, id, clientId, taskId, timestamp });
      const ref = await startFor(tx, ctx, task, { id, name: traits.name }, { id: taskId });
      await reserve(tx, ctx.quota, { image_count: 1, image_size: origin.size });
      return ref;
    });
  }

  /** Changes what is said about it, at once.
   *  @throws Invalid, NotFound, Forbidden for one of the region, Locked naming the task that holds it */
  async update(ctx: RegionContext, id: string, input: UpdateImage) {
    this.#require(ctx);
    await ctx.db.transaction(async (tx) => {
      const row = await store.lockFreeImage(tx, id, ctx.scope);
      const to: ImageTraits = {
        architecture: row.architecture,
        name: input.name ?? row.name,
        os_type: input.os_type ?? row.os_type,
        ssh_key: input.ssh_key ?? row.ssh_key,
        hw_firmware_type: input.hw_firmware_type ?? row.hw_firmware_type,
        hw_machine_type: input.hw_machine_type ?? row.hw_machine_type,
        is_baremetal: input.is_baremetal ?? row.is_baremetal,
        tags: patchTags(row.tags, input.tags),
      };
      await store.changeImage(tx, id, to, ctx.clock.timestamp());
      await recordAudit(tx, ctx, { action: 'update_image', subject: id, name: to.name, ...ctx.scope });
    });
    return this.get(ctx, id);
  }

  /** @throws NotFound, Forbidden for one of the region, Conflict when a volume is being filled from it, Locked */
  async delete(ctx: RegionContext, id: string): Promise<TaskRef> {
    this.#require(ctx);
    return ctx.db.transaction(async (tx) => {
      const row = await store.lockFreeImage(tx, id, ctx.scope);
      const volume = await filledFrom(tx, id);
      if (volume) {
        throw new Conflict(`Image ${id} is being copied to volume ${volume}`, { retryAfterMs: 1000 });
      }
      const user = row.kept_for_volumes ? await madeFrom(tx, id) : undefined;
      if (user)
        throw new Conflict(`Volume ${user} was made of image ${id} and needs it; delete the volume first`);
      const taskId = ctx.ids.uuid();
      await store.holdForDeletion(tx, id, taskId);
      return startFor(tx, ctx, 'delete_image', row, { id: taskId });
    });
  }

  /** @throws NotFound */
  async get(ctx: RegionContext, id: string) {
    return viewImage(await store.readImage(ctx.db, id, ctx.scope), ctx.region.name, ctx.project.id);
  }

  /** @throws Invalid naming every faulty filter */
  async list(ctx: RegionContext, query: ImageListQuery) {
    refuseUnstorable(query, 'query');
    const page = await listImages(ctx.db, {
      ...ctx.scope,
      ...parseTagFilters(query),
      visibility: query.visibility ?? (query.private === undefined ? undefined : 'shared'),
      architecture: query.architecture,
      name: query.name,
      namePart: query.name__contains,
      osDistro: query.os_distro,
      osVersion: query.os_version,
      limit: query.limit,
      offset: query.offset,
    });
    return viewPage(page, (row) => viewImage(row, ctx.region.name, ctx.project.id));
  }

  /** @throws Forbidden when the region has no images */
  #require(ctx: RegionContext): void {
    requireProvider(this.#deps, ctx.region, 'images');
  }
}

const TRAITS = [
  'name',
  'architecture',
  'os_type',
  'ssh_key',
  'hw_firmware_type',
  'hw_machine_type',
  'is_baremetal',
] as const;

/** Adds what schemas cannot say of a new image. */
export function checkDownload(input: Partial<DownloadImage>, faults: Faults): void {
  checkCredentials(input, faults);
  givenTags(input, faults);
}

/** @throws Invalid with every faulty tag */
function traitsOf(input: CreateImage | DownloadImage): ImageTraits {
  return { tags: checkedTags(input), ...pick(input, TRAITS) };
}
