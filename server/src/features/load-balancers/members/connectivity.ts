import { canonicalAddress } from '../../../kernel/ip.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { readPortsOf } from '../../networking/ports/index.ts';
import type { LoadBalancerRow } from '../model.ts';
import type { NewRow, NewRows } from '../parts/rows.ts';

/** Says of new members that are named by instance and address alone how they are reached, as the load balancer
 *  prefers: with `L2` in the subnet in which the instance has this address, with `L3` routed, which is no subnet. A
 *  subnet that is given stays. */
export async function connectMembers(
  tx: Tx,
  { of: { member: members } }: NewRows,
  preferred: LoadBalancerRow['preferred_connectivity'],
): Promise<void> {
  const open = members.filter((row) => typeof row.instance_id === 'string' && row.subnet_id === null);
  if (preferred === 'L3' || open.length === 0) return;
  const ports = await readPortsOf(
    tx,
    'instance',
    open.map((row) => String(row.instance_id).toLowerCase()),
  );
  const subnetOf = ({ instance_id, address }: NewRow) =>
    ports
      .filter(({ device_id }) => device_id === String(instance_id).toLowerCase())
      .flatMap(({ ip_assignments }) => ip_assignments)
      .find(({ ip_address }) => ip_address === canonicalAddress(String(address)))?.subnet_id;
  members.forEach((row, at) => {
    if (open.includes(row)) members[at] = { ...row, subnet_id: subnetOf(row) ?? null };
  });
}
