import { canonicalIp } from '../../kernel/ip.ts';

/** Where a request came from, for limits: an IPv4 address, or the /64 of an IPv6 address, since whoever has one
 *  address of a /64 has them all. */
export function sourceOf(remoteAddress: string): string {
  const ip = canonicalIp(remoteAddress.split('%')[0] ?? '') ?? remoteAddress;
  return ip.includes(':') ? `${firstGroups(ip).join(':')}::/64` : ip;
}

/** The first four groups of a canonical IPv6 address, with the zeroes that `::` stands for. */
function firstGroups(ip: string): readonly string[] {
  const [before = '', after] = ip.split('::');
  const head = before === '' ? [] : before.split(':');
  if (after === undefined) return head.slice(0, 4);
  const tail = after === '' ? [] : after.split(':');
  const zeroes = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeroes, ...tail].slice(0, 4);
}
