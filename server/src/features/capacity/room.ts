import type { Need, Resource } from '../../kernel/capacity.ts';
import { Conflict } from '../../kernel/errors.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { lockClaims, readOverdrawn } from './claims.ts';
import { readScarce, type Scarce } from './store.ts';

const WHAT: Readonly<Record<Resource, string>> = {
  disk: 'disk space',
  memory: 'memory',
  addresses_ipv4: 'IPv4 addresses',
  addresses_ipv6: 'IPv6 addresses',
  kubernetes_networks: 'networks for Kubernetes clusters',
};

const ADDRESSES: readonly Resource[] = ['addresses_ipv4', 'addresses_ipv6'];

/** Refuses what would take the last of something from those who are there already.
 *  @param needs what it takes
 *  @returns of these, the addresses that the region may run out of: `requireAddresses` counts them
 *  @throws Conflict naming what the region has run out of */
export async function requireRoom(
  db: Queryable,
  region: { readonly id: number; readonly name: string },
  needs: readonly Need[],
): Promise<readonly Resource[]> {
  const all = await readScarce(db, region.id);
  const scarce = all.filter(({ resource }) => needs.includes(resource));
  const isAddress = ({ resource }: Scarce) => ADDRESSES.includes(resource);
  // Addresses of services are the machine's to give: they are as many as the last look has found.
  const ofServices = all.filter(({ services }) => services.some((service) => needs.includes(service)));
  refuse(
    region,
    [...scarce.filter((each) => !isAddress(each)), ...ofServices].filter(({ full }) => full),
  );
  return scarce.filter(isAddress).map(({ resource }) => resource);
}

/** Refuses what was written just now and waits for addresses of the region, when fewer are free than are waited for.
 *  Whoever else creates something there waits until the transaction ends: call it when all is written but the quota.
 *  @param taskId of the task that gives it its addresses
 *  @throws Conflict naming what the region has run out of */
export async function requireAddresses(
  tx: Tx,
  { region, scarce = [] }: Pick<RegionContext, 'region' | 'scarce'>,
  taskId: string,
): Promise<void> {
  if (scarce.length === 0) return;
  await lockClaims(tx, region.id);
  refuse(region, await readOverdrawn(tx, region.id, scarce, taskId));
}

/** @throws Conflict when there is something */
function refuse(region: { readonly name: string }, full: readonly { readonly resource: Resource }[]): void {
  if (full.length === 0) return;
  const what = full.map(({ resource }) => WHAT[resource]).join(' and ');
  throw new Conflict(
    `Region ${region.name} has too little free ${what} for anything new: choose another region, delete what is not needed, or tell whoever runs this cloud`,
  );
}
