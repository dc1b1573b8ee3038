import { canonicalIp } from '../../../kernel/ip-addresses.ts';
import type { Faults } from '../faults.ts';
import type { MemberInput } from './schema.ts';

/** What tells the members of a pool apart. */
export function memberKey({
  address,
  protocol_port: port,
}: Pick<MemberInput, 'address' | 'protocol_port'>): string {
  return `${canonicalIp(address) ?? address} ${port}`;
}

/** No member twice.
 *  @param at what the paths of the members begin with: nothing, or a path that ends in a dot */
export function checkMembers(members: readonly MemberInput[], at: string, faults: Faults): void {
  const seen = new Set<string>();
  members.forEach((member, index) => {
    const key = memberKey(member);
    if (seen.has(key)) {
      const { address, protocol_port: port } = member;
      faults.add(`${at}${index}.protocol_port`, `${address} port ${port} is a member already`);
    }
    seen.add(key);
  });
}
