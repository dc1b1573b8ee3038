import { Conflict, Invalid } from '../../../kernel/errors.ts';
import { Faults } from '../../../kernel/faults.ts';
import { canonicalAddress } from '../../../kernel/ip.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { giveAddress, lockAddresses } from '../addresses/index.ts';
import { refuseTwice } from './change.ts';
import type { IpAssignment, PortRow } from './model.ts';
import { type PortScope, subnetOfAddress } from './open.ts';

/** Addresses that a port gets and loses. */
export interface Reassigned {
  readonly newAddresses: readonly string[];
  readonly oldAddresses: readonly string[];
}

/** Gives the port those of the requested addresses that it does not have; those that it is to lose it keeps for now.
 *  @throws Invalid naming every address at fault, Conflict when something has one of them */
export async function reassign(
  tx: Tx,
  ctx: PortScope,
  port: PortRow,
  requested: readonly IpAssignment[],
): Promise<Reassigned> {
  const faults = new Faults();
  const addresses = requested.map(({ ip_address }) => canonicalAddress(ip_address));
  refuseTwice('ip_assignments', addresses, faults);
  faults.refuse();
  const had = new Map(port.ip_assignments.map((one) => [one.ip_address, one.subnet_id]));
  await lockAddresses(tx, ctx.region.id, [port.network_id]);
  const newAddresses: string[] = [];
  for (const [index, address] of addresses.entries()) {
    const subnetId = requested[index]?.subnet_id;
    if (had.get(address) === subnetId) continue;
    const field = `ip_assignments.${index}`;
    try {
      const scope = await subnetOfAddress(tx, ctx, `${field}.ip_address`, port.network_id, address);
      if (scope.subnetId !== subnetId) {
        faults.add(`${field}.subnet_id`, `${address} belongs to subnet ${scope.subnetId}`);
        continue;
      }
      const { network, cidr, gateway } = scope;
      const room = { regionId: ctx.region.id, space: network.id, subnetId: scope.subnetId, cidr, gateway };
      if (!(await giveAddress(tx, room, address, port.id))) {
        throw new Conflict(`${address} is in use in network ${network.id}`);
      }
      newAddresses.push(address);
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      faults.try(() => {
        throw error;
      });
    }
  }
  faults.refuse();
  return { newAddresses, oldAddresses: [...had.keys()].filter((address) => !addresses.includes(address)) };
}
