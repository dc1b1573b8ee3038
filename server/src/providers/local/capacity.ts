import { statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import type { Capacity, CapacityProvider } from '../../features/capacity/port.ts';
import type { Resource } from '../../kernel/capacity.ts';

const MIB = 2 ** 20;
const GIB = 1024;
/** What the database keeps. */
const LARGEST = 2 ** 31 - 1;

/** In GiB free, or in free pieces. */
export interface Thresholds {
  readonly warn: number;
  readonly stop: number;
}

/** What an operator has set; what is left out has the usual thresholds. */
export type CapacitySettings = Readonly<Partial<Record<'disk' | 'memory' | 'addresses', Thresholds>>>;

export interface LocalCapacityOptions {
  /** Where engines keep their files; of several disks the fullest counts. */
  readonly folders: () => readonly string[];
  readonly settings: CapacitySettings;
  /** Addresses that the region names, and how many of them are in use. */
  readonly addresses: (
    version: 4 | 6,
    inUse: ReadonlySet<string>,
  ) => { readonly used: number; readonly total: number };
  readonly kubernetesNetworks: () => { readonly used: number; readonly total: number };
}

/** @returns MiB */
async function fullestDisk(
  folders: readonly string[],
): Promise<{ readonly size: number; readonly free: number }> {
  const disks = await Promise.all(folders.map((folder) => statfs(folder)));
  return disks
    .map(({ blocks, bavail, bsize }) => ({ size: (blocks * bsize) / MIB, free: (bavail * bsize) / MIB }))
    .reduce((fullest, each) => (each.free < fullest.free ? each : fullest));
}

/** The room of this machine. A large disk has room when a small share of it is free. */
export function localCapacity(options: LocalCapacityOptions): CapacityProvider {
  const { settings } = options;
  const mib = (resource: 'disk' | 'memory', used: number, total: number, usual: Thresholds): Capacity => {
    const { warn, stop } = settings[resource] ?? {
      warn: Math.min(usual.warn, (total / GIB) * 0.15),
      stop: Math.min(usual.stop, (total / GIB) * 0.05),
    };
    return {
      resource,
      used: Math.round(used),
      total: Math.round(total),
      warnFree: Math.round(warn * GIB),
      stopFree: Math.round(stop * GIB),
    };
  };
  const pieces = (
    resource: Resource,
    { used, total }: { readonly used: number; readonly total: number },
    { warn, stop }: Thresholds,
  ): Capacity[] =>
    total === 0 ? [] : [{ resource, used, total: Math.min(total, LARGEST), warnFree: warn, stopFree: stop }];
  const ofAddresses = settings.addresses ?? { warn: 4, stop: 0 };
  return {
    observeCapacity: async (inUse) => {
      const { size, free } = await fullestDisk(options.folders());
      // Of a container, what it may have.
      const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) / MIB;
      const available = Math.min(process.availableMemory() / MIB, memory);
      return [
        mib('disk', size - free, size, { warn: 10, stop: 2 }),
        mib('memory', memory - available, memory, { warn: 2, stop: 0.5 }),
        ...pieces('addresses_ipv4', options.addresses(4, inUse), ofAddresses),
        ...pieces('addresses_ipv6', options.addresses(6, inUse), ofAddresses),
        ...pieces('kubernetes_networks', options.kubernetesNetworks(), { warn: 10, stop: 0 }),
      ];
    },
  };
}
