import type { Faults } from '../../kernel/faults.ts';
import { findFlavor, noFlavor } from '../flavors/index.ts';
import { flavorNamed } from '../load-balancers/index.ts';
import type { PriceCluster, PriceInstances, PriceVolume } from './schema.ts';

/** What schemas cannot say of bodies. */

export function checkInstances({ flavor, volumes = [] }: Partial<PriceInstances>, faults: Faults): void {
  checkFlavor(flavor, 'flavor', faults);
  for (const [i, volume] of volumes.entries()) checkVolume(volume, faults, `volumes.${i}.`);
}

export function checkVolume(volume: Partial<PriceVolume>, faults: Faults, at = ''): void {
  const { source, size, snapshot_id } = volume;
  if (source === 'snapshot' && snapshot_id == null) faults.add(`${at}snapshot_id`, 'is required');
  if ((source === 'image' || source === 'new-volume' || source === 'apptemplate') && size == null)
    faults.add(`${at}size`, 'is required');
}

export function checkLoadBalancer({ flavor }: { readonly flavor?: string }, faults: Faults): void {
  if (flavor !== undefined && !flavorNamed(flavor))
    faults.add('flavor', 'is not a flavor of load balancers; list them with lbflavors');
}

export function checkCluster({ pools = [] }: Partial<PriceCluster>, faults: Faults): void {
  for (const [i, { flavor_id }] of pools.entries()) checkFlavor(flavor_id, `pools.${i}.flavor_id`, faults);
}

function checkFlavor(id: string | undefined, field: string, faults: Faults): void {
  if (id !== undefined && !findFlavor(id)) faults.add(field, noFlavor());
}
