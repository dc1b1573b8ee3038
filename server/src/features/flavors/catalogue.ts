import type { QuotaName } from '../quotas/index.ts';

/** A size of machine. */
export interface Flavor {
  readonly id: string;
  readonly vcpus: number;
  /** MiB. */
  readonly ram: number;
  readonly architecture: 'x86_64';
  readonly osType: 'linux';
  readonly resourceClass: string | null;
  /** GPUs, and the quota that each of them counts into. */
  readonly gpu: { readonly model: string; readonly count: number; readonly quota: QuotaName } | null;
}

const general = (id: string, vcpus: number, gib: number): Flavor => ({
  id,
  vcpus,
  ram: gib * 1024,
  architecture: 'x86_64',
  osType: 'linux',
  resourceClass: null,
  gpu: null,
});

/** The sizes that every region offers; ids name the family, vCPUs and GiB of memory. */
export const FLAVORS: readonly Flavor[] = [
  general('g1-standard-1-2', 1, 2),
  general('g1-standard-2-4', 2, 4),
  general('g1-standard-2-8', 2, 8),
  general('g1-standard-4-8', 4, 8),
  general('g1-standard-4-16', 4, 16),
  general('g1-standard-8-16', 8, 16),
  general('g1-standard-8-32', 8, 32),
  general('g1-standard-16-64', 16, 64),
  general('g1-cpu-4-4', 4, 4),
  general('g1-cpu-8-8', 8, 8),
  general('g1-memory-2-16', 2, 16),
  general('g1-memory-4-32', 4, 32),
  {
    ...general('g1-gpu-12-120-1a100', 12, 120),
    gpu: { model: 'A100', count: 1, quota: 'gpu_virtual_a100_count' },
  },
  {
    ...general('g1-gpu-16-180-1h100', 16, 180),
    gpu: { model: 'H100', count: 1, quota: 'gpu_virtual_h100_count' },
  },
];

const BY_ID = new Map(FLAVORS.map((flavor) => [flavor.id, flavor]));

/** What is wrong with an id that no flavor has. */
export const NO_FLAVOR = `must be one of: ${FLAVORS.map(({ id }) => id).join(', ')}`;

export const findFlavor = (id: string): Flavor | undefined => BY_ID.get(id);

export function hardwareOf(flavor: Pick<Flavor, 'vcpus' | 'ram' | 'gpu'>): Record<string, string> {
  const gpu = flavor.gpu ? { gpu: `${flavor.gpu.count} x ${flavor.gpu.model}` } : {};
  return { vcpus: String(flavor.vcpus), ram: `${flavor.ram / 1024} GiB`, ...gpu };
}
