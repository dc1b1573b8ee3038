import { type Catalogue, catalogue } from '../catalogue/index.ts';
import type { QuotaName } from '../quotas/index.ts';

/** A size of machine. */
export interface Flavor {
  readonly id: string;
  readonly vcpus: number;
  /** MiB. */
  readonly ram: number;
  readonly architecture: 'x86_64';
  readonly osType: 'linux' | 'windows';
  readonly resourceClass: string | null;
  /** GPUs, and the quota that each of them counts into. */
  readonly gpu: { readonly model: string; readonly count: number; readonly quota: QuotaName } | null;
}

const flavorOf = ({ id, vcpus, ram_gib, os_type, gpu }: Catalogue['flavors'][number]): Flavor => ({
  id,
  vcpus,
  ram: ram_gib * 1024,
  architecture: 'x86_64',
  osType: os_type ?? 'linux',
  resourceClass: null,
  gpu: gpu
    ? { ...gpu, quota: `gpu_virtual_${gpu.model.toLowerCase() as Lowercase<typeof gpu.model>}_count` }
    : null,
});

let known: { readonly of: Catalogue; readonly byId: ReadonlyMap<string, Flavor> } | undefined;

function byId(): ReadonlyMap<string, Flavor> {
  const of = catalogue();
  if (known?.of !== of) known = { of, byId: new Map(of.flavors.map((entry) => [entry.id, flavorOf(entry)])) };
  return known.byId;
}

/** The sizes that there are; ids name the family, vCPUs and GiB of memory.
 *  @param ids of those that a region offers; absent: all */
export const flavorsOffered = (ids?: readonly string[]): readonly Flavor[] =>
  [...byId().values()].filter(({ id }) => ids?.includes(id) ?? true);

/** What is wrong with an id that no flavor has.
 *  @param ids of those that a region offers; absent: all */
export const noFlavor = (ids?: readonly string[]): string =>
  `must be one of: ${flavorsOffered(ids)
    .map(({ id }) => id)
    .join(', ')}`;

export const findFlavor = (id: string): Flavor | undefined => byId().get(id);

export function hardwareOf(flavor: Pick<Flavor, 'vcpus' | 'ram' | 'gpu'>): Record<string, string> {
  const gpu = flavor.gpu ? { gpu: `${flavor.gpu.count} x ${flavor.gpu.model}` } : {};
  return { vcpus: String(flavor.vcpus), ram: `${flavor.ram / 1024} GiB`, ...gpu };
}
