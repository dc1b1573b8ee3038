import { addressNumber, canonicalIp } from '../../kernel/ip.ts';

/** Where a request came from, for limits: an IPv4 address, or the /64 of an IPv6 address, since whoever has one
 *  address of a /64 has them all. */
export function sourceOf(remoteAddress: string): string {
  const ip = canonicalIp(remoteAddress.split('%')[0] ?? '') ?? remoteAddress;
  const address = addressNumber(ip);
  if (address?.version !== 6) return ip;
  const groups = [112n, 96n, 80n, 64n].map((bits) => ((address.value >> bits) & 0xffffn).toString(16));
  return `${groups.join(':')}::/64`;
}
