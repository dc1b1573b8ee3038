import { isIP } from 'node:net';
import { TaskFailed } from '../../../../kernel/errors.ts';
import { canonicalAddress, netmaskBits, parseRange } from '../../../../kernel/ip.ts';

/** `10.0.0.1`, 80 → `ipv4@10.0.0.1:80`; `fd12::1`, 80 → `ipv6@[fd12::1]:80`.
 *  @throws TaskFailed when it is no IP address */
export function endpoint(address: string, port: number): string {
  return `${host(address)}:${checkedPort(port)}`;
}

/** An address as HAProxy reads it. The prefix keeps it from reading anything else into it, and the brackets from
 *  mistaking the end of an IPv6 address for a port.
 *  @throws TaskFailed when it is no IP address */
export function host(address: string): string {
  const version = address.includes('%') ? 0 : isIP(address);
  if (version === 0) throw new TaskFailed(`${JSON.stringify(address)} is not an IP address`);
  return version === 4 ? `ipv4@${address}` : `ipv6@[${canonicalAddress(address)}]`;
}

export function checkedPort(port: number): number {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new TaskFailed(`${port} is not a port`);
  return port;
}

/** A network in CIDR notation, or one address, as HAProxy and nginx both read it.
 *  @throws TaskFailed when it is neither */
export function network(cidr: string): string {
  // Programs read fewer spellings than we do: `::ffff:0x1.2.3.4` is none of theirs.
  const isReadable = isIP(cidr.split('/', 1)[0] ?? '') !== 0;
  if (!isReadable || !parseRange(cidr))
    throw new TaskFailed(`${JSON.stringify(cidr)} is not a network in CIDR notation`);
  return cidr;
}

/** How many leading bits of a client's address count, by the version of the address. */
export interface SourceBits {
  readonly 4: number;
  readonly 6: number;
}

export const WHOLE_SOURCE: SourceBits = { 4: 32, 6: 128 };

/** What a granularity says: a netmask is about addresses of its own version (`255.255.255.0`, `ffff:ffff::`), and
 *  of the other version whole addresses count; a prefix length (`24`, `/24`) is about both.
 *  @throws TaskFailed when it is neither, or a netmask with a hole */
export function sourceBits(granularity: string): SourceBits {
  const short = /^\/?(\d{1,3})$/.exec(granularity)?.[1];
  if (short !== undefined && Number(short) <= 128) {
    return { 4: Math.min(Number(short), 32), 6: Number(short) };
  }
  const mask = netmaskBits(granularity);
  if (mask) return { ...WHOLE_SOURCE, [mask.version]: mask.bits };
  throw new TaskFailed(
    `${JSON.stringify(granularity)} is not a netmask such as 255.255.255.0 or ffff:ffff:ffff:ffff::`,
  );
}
