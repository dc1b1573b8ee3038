import type { Faults } from '../../../kernel/faults.ts';
import { canonicalIp } from '../../../kernel/ip.ts';
import { GIVEN_TWICE } from '../../../kernel/rules.ts';
import type { MemberInput, MemberOfList } from './schema.ts';

/** What distinguishes the members of a pool. */
export function memberKey({
  address,
  protocol_port: port,
}: Pick<MemberInput, 'address' | 'protocol_port'>): string {
  return `${canonicalIp(address) ?? address} ${port}`;
}

/** No member twice.
 *  @param at what the paths of the members begin with: nothing, or a path that ends in a dot */
export function checkMembers(members: readonly MemberOfList[], at: string, faults: Faults): void {
  const seen = new Set<string>();
  const ids = new Set<string>();
  members.forEach((member, index) => {
    const id = member.id?.toLowerCase();
    if (id !== undefined && ids.has(id)) faults.add(`${at}${index}.id`, GIVEN_TWICE);
    if (id !== undefined) ids.add(id);
    const key = memberKey(member);
    if (seen.has(key)) {
      const { address, protocol_port: port } = member;
      faults.add(`${at}${index}.protocol_port`, `${address} port ${port} is a member already`);
    }
    seen.add(key);
  });
}
