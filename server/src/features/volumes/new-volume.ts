import type { Faults } from '../../kernel/faults.ts';
import type { Tx } from '../../platform/database/db.ts';
import { requireFree } from '../../platform/database/held-table.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import type { StoredTags } from '../../platform/http/tags.ts';
import type { VolumeDeps } from './deps.ts';
import { type Attachment, UNATTACHED, type VolumeType } from './model.ts';
import { keepSnapshots } from './snapshots/store.ts';
import type { NewVolume } from './store.ts';

/** What is requested of a new volume, however it is asked for. */
export interface RequestedVolume {
  readonly name: string;
  /** GiB; undefined: what its source needs. */
  readonly size: number | undefined;
  /** undefined: that of the snapshot, or the plainest. */
  readonly type: VolumeType | undefined;
  readonly source: RequestedSource | null;
  readonly tags: StoredTags;
}

/** What a volume shall hold from the start; null: nothing. */
export interface RequestedSource {
  readonly kind: 'image' | 'snapshot';
  readonly id: string;
}

/** What the body of a creation wants the volume to be made from. */
export function requestedSource(
  input:
    | { readonly source: 'image'; readonly image_id: string }
    | { readonly source: 'snapshot'; readonly snapshot_id: string }
    | { readonly source: 'apptemplate' | 'new-volume' },
): RequestedSource | null {
  if (input.source === 'image') return { kind: 'image', id: input.image_id.toLowerCase() };
  return input.source === 'snapshot' ? { kind: 'snapshot', id: input.snapshot_id.toLowerCase() } : null;
}

/** What a volume can be made from. */
interface Source {
  readonly id: string;
  readonly name: string;
  /** GiB that a volume of it needs at least. */
  readonly minDisk: number;
  /** MiB that an instance of it needs at least. */
  readonly minRam: number;
  readonly bootable: boolean;
  readonly type: VolumeType | null;
  readonly metadata: Readonly<Record<string, string>> | null;
}

/** 1 PiB. */
const MAX_GIB = 1_048_576;

/** What the wishes were checked against. */
export interface Sources {
  readonly types: readonly string[];
  /** By kind and id. */
  readonly found: ReadonlyMap<string, Source>;
  /** Why nothing can be made of others that are there. */
  readonly useless: ReadonlyMap<string, string>;
}

const keyOf = ({ kind, id }: RequestedSource) => `${kind} ${id}`;

export const sourceOf = ({ found }: Sources, { source }: RequestedVolume): Source | undefined =>
  source === null ? undefined : found.get(keyOf(source));

/** @throws Locked when one of them is being made or deleted */
export async function readSources(
  tx: Tx,
  ctx: RegionContext,
  deps: VolumeDeps,
  requested: readonly RequestedSource[],
): Promise<Sources> {
  const idsOf = (kind: RequestedSource['kind']) =>
    requested.flatMap((one) => (one.kind === kind ? [one.id] : []));
  const images = await deps.images.find(tx, idsOf('image'), ctx.scope);
  const snapshots = await keepSnapshots(tx, idsOf('snapshot'), ctx.scope);
  for (const snapshot of snapshots) requireFree('Snapshot', snapshot);
  const found = new Map<string, Source>();
  const useless = new Map<string, string>();
  const isUseful = (kind: RequestedSource['kind'], source: Stated, is: string) => {
    if (source.status !== is) useless.set(keyOf({ kind, id: source.id }), uselessOf(kind, source));
    return source.status === is;
  };
  for (const image of images.values()) {
    if (!isUseful('image', image, 'active')) continue;
    found.set(keyOf({ kind: 'image', id: image.id }), { ...image, bootable: true, type: null });
  }
  for (const snapshot of snapshots) {
    if (!isUseful('snapshot', snapshot, 'available')) continue;
    const { id, name, size, volume_type, bootable, image_metadata } = snapshot;
    const minRam = Number(image_metadata?.min_ram ?? 0);
    const source = { id, name, minDisk: size, minRam, bootable, type: volume_type, metadata: image_metadata };
    found.set(keyOf({ kind: 'snapshot', id }), source);
  }
  return { types: deps.typesOf(ctx.region.id), found, useless };
}

interface Stated {
  readonly id: string;
  readonly status: string;
  /** In a sentence. */
  readonly status_reason: string | null;
}

function uselessOf(kind: RequestedSource['kind'], { id, status, status_reason: reason }: Stated): string {
  const why = reason ? `: ${reason[0]?.toLowerCase()}${reason.slice(1)}` : '';
  return `${kind} ${id} is ${status}, and nothing can be made of it${why}`;
}

/** @param types that the region offers; none: all */
export function typeFault(type: string, types: readonly string[]): string | undefined {
  if (types.length === 0 || types.includes(type)) return undefined;
  return `this region has no ${type}; it has ${types.join(', ')}`;
}

export const sizeFault = (size: number): string | undefined =>
  size > MAX_GIB ? `must be at most ${MAX_GIB} GiB` : undefined;

const PLAINEST: VolumeType = 'standard';

/** Adds what is wrong with a wish; `prefix` of the names of its fields. */
export function checkRequested(
  requested: RequestedVolume,
  sources: Sources,
  faults: Faults,
  prefix = '',
): void {
  const { size = 1, source: from } = requested;
  const source = sourceOf(sources, requested);
  const small = requested.size !== undefined && source !== undefined && size < source.minDisk;
  const needed = `must be at least ${source?.minDisk} GiB for ${from?.kind} ${source?.name}`;
  const found = {
    type_name: typeFault(requested.type ?? source?.type ?? PLAINEST, sources.types),
    size: small ? needed : sizeFault(size),
    [`${from?.kind}_id`]: from === null || source ? undefined : absence(from, sources),
  };
  for (const [field, fault] of Object.entries(found)) {
    if (fault !== undefined) faults.add(`${prefix}${field}`, fault);
  }
}

const absence = (from: RequestedSource, { useless }: Sources): string =>
  useless.get(keyOf(from)) ?? `${from.kind} ${from.id} was not found`;

/** The row of a volume that a task makes. */
export function newVolume(
  ctx: RegionContext,
  requested: RequestedVolume,
  sources: Sources,
  taskId: string,
  attachment: Omit<Attachment, 'attached_at'> = UNATTACHED,
): NewVolume {
  const source = sourceOf(sources, requested);
  const kind = requested.source?.kind;
  return {
    id: ctx.ids.uuid(),
    project_id: ctx.project.id,
    region_id: ctx.region.id,
    client_id: ctx.project.clientId,
    name: requested.name,
    size: requested.size ?? source?.minDisk ?? 1,
    type: requested.type ?? source?.type ?? PLAINEST,
    status: source ? 'downloading' : 'creating',
    bootable: source?.bootable ?? false,
    image_id: (kind === 'image' && source?.id) || null,
    snapshot_id: (kind === 'snapshot' && source?.id) || null,
    image_metadata: source?.metadata ?? null,
    ...attachment,
    tags: requested.tags,
    task_id: taskId,
    timestamp: ctx.clock.timestamp(),
  };
}
