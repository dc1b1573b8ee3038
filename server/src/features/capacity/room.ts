import type { Resource } from '../../kernel/capacity.ts';
import { Conflict } from '../../kernel/errors.ts';
import type { Queryable } from '../../platform/database/db.ts';
import { readFull } from './store.ts';

const WHAT: Readonly<Record<Resource, string>> = {
  disk: 'disk space',
  memory: 'memory',
  addresses_ipv4: 'IPv4 addresses',
  addresses_ipv6: 'IPv6 addresses',
  kubernetes_networks: 'networks for Kubernetes clusters',
};

/** Refuses what would take the last of something from those who are there already.
 *  @param needs what it takes
 *  @throws Conflict naming what the region has run out of */
export async function requireRoom(
  db: Queryable,
  region: { readonly id: number; readonly name: string },
  needs: readonly Resource[],
): Promise<void> {
  const full = (await readFull(db, [region.id])).filter(({ resource }) => needs.includes(resource));
  if (full.length === 0) return;
  const what = full.map(({ resource }) => WHAT[resource]).join(' and ');
  throw new Conflict(
    `Region ${region.name} has too little free ${what} for anything new: choose another region, delete what is not needed, or tell whoever runs this cloud`,
  );
}
