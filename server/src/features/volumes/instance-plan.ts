import type { Faults } from '../../kernel/faults.ts';
import { GIVEN_TWICE } from '../../kernel/rules.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { givenTags } from '../../platform/http/tags.ts';
import type { VolumeDeps } from './deps.ts';
import { lockVolumes } from './instance-store.ts';
import type { VolumeRow } from './model.ts';
import { requireState } from './model.ts';
import {
  checkRequested,
  type RequestedVolume,
  readSources,
  requestedSource,
  type Sources,
  sourceOf,
} from './new-volume.ts';
import type { NewInstanceVolume } from './schema-instance.ts';

/** The volumes that a new instance asks for, checked before anything is written. */
export interface InstanceVolumePlan {
  readonly sources: Sources;
  /** In the order in which the instance gets them. */
  readonly disks: readonly PlannedDisk[];
}

export interface PlannedDisk {
  readonly requested: RequestedVolume | null;
  /** An existing one, locked; null: it is new. */
  readonly existing: VolumeRow | null;
  readonly bootIndex: number | null;
  readonly deleteOnTermination: boolean;
  readonly attachmentTag: string | null;
}

/** Adds to the faults what is wrong with the wishes, under `volumes.N`.
 *  @param ram of the instance in MiB
 *  @throws Locked or Conflict when an existing volume cannot be had now */
export async function planInstanceVolumes(
  tx: Tx,
  ctx: RegionContext,
  deps: VolumeDeps,
  input: { readonly volumes: readonly NewInstanceVolume[]; readonly ram: number },
  faults: Faults,
): Promise<InstanceVolumePlan> {
  const { volumes, ram } = input;
  const existingIds = volumes.flatMap((volume) =>
    volume.source === 'existing-volume' ? [volume.volume_id.toLowerCase()] : [],
  );
  const rows = await lockVolumes(tx, existingIds, ctx.scope);
  const existing = new Map(rows.map((row) => [row.id, row]));
  const from = volumes.flatMap((volume) =>
    volume.source === 'existing-volume' ? [] : (requestedSource(volume) ?? []),
  );
  const sources = await readSources(tx, ctx, deps, from);
  const bootIndexes = checkBootOrder(volumes, existing, faults);
  const disks = volumes.map((volume, index) => {
    const prefix = `volumes.${index}.`;
    if (volume.source === 'existing-volume') {
      checkExisting(volume.volume_id.toLowerCase(), existing, existingIds, prefix, faults);
    }
    const requested = requestedOf(volume, prefix, faults);
    if (requested) checkRequested(requested, sources, faults, prefix);
    const source = requested ? sourceOf(sources, requested) : undefined;
    if (source && source.minRam > ram) {
      faults.add('flavor', `${requested?.source?.kind} ${source.name} needs ${source.minRam} MiB of memory`);
    }
    return {
      requested,
      existing:
        volume.source === 'existing-volume' ? (existing.get(volume.volume_id.toLowerCase()) ?? null) : null,
      bootIndex: bootIndexes[index] ?? null,
      deleteOnTermination: volume.delete_on_termination ?? false,
      attachmentTag: volume.attachment_tag ?? null,
    };
  });
  for (const { existing: row } of disks) if (row) requireState(row, 'attach');
  return { sources, disks: disks.sort((a, b) => (a.bootIndex ?? Infinity) - (b.bootIndex ?? Infinity) || 0) };
}

function checkExisting(
  id: string,
  existing: ReadonlyMap<string, VolumeRow>,
  ids: readonly string[],
  prefix: string,
  faults: Faults,
): void {
  if (!existing.has(id)) faults.add(`${prefix}volume_id`, `volume ${id} was not found`);
  else if (ids.indexOf(id) !== ids.lastIndexOf(id)) faults.add(`${prefix}volume_id`, GIVEN_TWICE);
}

function requestedOf(volume: NewInstanceVolume, prefix: string, faults: Faults): RequestedVolume | null {
  const tags = givenTags(volume, faults, prefix);
  if (volume.source === 'existing-volume') return null;
  if (volume.source === 'apptemplate') {
    faults.add(`${prefix}apptemplate_id`, `application template ${volume.apptemplate_id} was not found`);
  }
  return {
    name: volume.name ?? '',
    size: volume.size,
    type: volume.type_name,
    source: requestedSource(volume),
    tags,
  };
}

const LAST_BOOT_INDEX = 100;

/** Whether an instance could boot from it, if it exists. */
function isBootable(volume: NewInstanceVolume, existing: ReadonlyMap<string, VolumeRow>): boolean {
  if (volume.source === 'new-volume') return false;
  if (volume.source !== 'existing-volume') return true;
  return existing.get(volume.volume_id.toLowerCase())?.bootable ?? true;
}

/** Tools send 0 for every volume: the first of those that can be booted from has it, and the others come after it. */
function withOneRoot(
  volumes: readonly NewInstanceVolume[],
  given: readonly (number | undefined)[],
  existing: ReadonlyMap<string, VolumeRow>,
): readonly (number | undefined)[] {
  const zeros = volumes.filter((_, index) => given[index] === 0);
  const root = zeros.find((volume) => isBootable(volume, existing)) ?? zeros[0];
  return given.map((bootIndex, index) =>
    bootIndex === 0 && volumes[index] !== root ? undefined : bootIndex,
  );
}

/** The place of each volume in the boot order; null: not in it. Those that name none, or all of them, come after
 *  those that do, and a negative one means null. */
function checkBootOrder(
  volumes: readonly NewInstanceVolume[],
  existing: ReadonlyMap<string, VolumeRow>,
  faults: Faults,
): (number | null)[] {
  const given = volumes.map((volume) => ('boot_index' in volume ? volume.boot_index : undefined));
  const named = withOneRoot(volumes, given, existing);
  const used = new Set<number>();
  for (const [index, bootIndex] of named.entries()) {
    if (bootIndex === undefined || bootIndex < 0) continue;
    if (bootIndex > LAST_BOOT_INDEX)
      faults.add(`volumes.${index}.boot_index`, `must be at most ${LAST_BOOT_INDEX}`);
    if (used.has(bootIndex)) faults.add(`volumes.${index}.boot_index`, `${bootIndex} is given twice`);
    used.add(bootIndex);
  }
  const order = volumes.map((volume, index) => {
    const bootIndex = named[index];
    if (bootIndex !== undefined) return bootIndex < 0 ? null : bootIndex;
    if (!isBootable(volume, existing)) return null;
    let next = 0;
    while (used.has(next)) next++;
    used.add(next);
    return next;
  });
  const first = volumes[order.indexOf(0)];
  if (!first || !isBootable(first, existing)) {
    faults.add('volumes', 'one must be bootable and have boot_index 0: one from an image, for example');
  }
  return order;
}
