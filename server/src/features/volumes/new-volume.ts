import type { Faults } from '../../kernel/faults.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import type { StoredTags } from '../../platform/http/tags.ts';
import type { SourceImage } from './images.ts';
import { type Attachment, UNATTACHED, type VolumeType } from './model.ts';
import { placeOf, type VolumeDeps } from './place.ts';
import type { NewVolume } from './store.ts';

/** What is wanted of a new volume, however it is asked for. */
export interface WantedVolume {
  readonly name: string;
  /** GiB; undefined: what its source needs. */
  readonly size: number | undefined;
  readonly type: VolumeType;
  readonly imageId: string | null;
  readonly tags: StoredTags;
}

/** 1 PiB. */
const MAX_GIB = 1_048_576;

/** What the wishes were checked against. */
export interface Sources {
  readonly types: readonly string[];
  readonly images: ReadonlyMap<string, SourceImage>;
}

export async function readSources(
  tx: Tx,
  ctx: RegionContext,
  deps: VolumeDeps,
  imageIds: readonly string[],
): Promise<Sources> {
  const images = await deps.images.find(tx, imageIds, placeOf(ctx));
  return { types: deps.typesOf(ctx.region.id), images };
}

/** @param types that the region offers; none: all */
export function typeFault(type: string, types: readonly string[]): string | undefined {
  if (types.length === 0 || types.includes(type)) return undefined;
  return `this region has no ${type}; it has ${types.join(', ')}`;
}

export const sizeFault = (size: number): string | undefined =>
  size > MAX_GIB ? `must be at most ${MAX_GIB} GiB` : undefined;

/** Adds what is wrong with a wish; `prefix` of the names of its fields. */
export function checkWanted(
  wanted: WantedVolume,
  { types, images }: Sources,
  faults: Faults,
  prefix = '',
): void {
  const { size = 1, type, imageId } = wanted;
  const image = imageId === null ? undefined : images.get(imageId);
  const small = wanted.size !== undefined && image !== undefined && size < image.minDisk;
  const found = {
    type_name: typeFault(type, types),
    size: small ? `must be at least ${image.minDisk} GiB for image ${image.name}` : sizeFault(size),
    image_id: imageId === null || image ? undefined : `image ${imageId} was not found`,
  };
  for (const [field, fault] of Object.entries(found)) {
    if (fault !== undefined) faults.add(`${prefix}${field}`, fault);
  }
}

/** The row of a volume that a task makes. */
export function newVolume(
  ctx: RegionContext,
  wanted: WantedVolume,
  { images }: Sources,
  taskId: string,
  attachment: Omit<Attachment, 'attached_at'> = UNATTACHED,
): NewVolume {
  const image = wanted.imageId === null ? undefined : images.get(wanted.imageId);
  return {
    id: ctx.ids.uuid(),
    project_id: ctx.project.id,
    region_id: ctx.region.id,
    client_id: ctx.project.clientId,
    name: wanted.name,
    size: wanted.size ?? image?.minDisk ?? 1,
    type: wanted.type,
    status: image ? 'downloading' : 'creating',
    bootable: image !== undefined,
    image_id: image?.id ?? null,
    image_metadata: image?.metadata ?? null,
    ...attachment,
    tags: wanted.tags,
    task_id: taskId,
    timestamp: ctx.clock.timestamp(),
  };
}
