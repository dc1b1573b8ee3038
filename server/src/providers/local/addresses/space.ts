import { isIPv4 } from 'node:net';
import { OWN_PREFIX } from '../../../features/networking/addresses/port.ts';
import {
  type AddressRange,
  addressNumber,
  addressText,
  parseRange,
  rangeContains,
  rangesOverlap,
} from '../../../kernel/ip.ts';

/** The addresses that load balancers of this machine can have: in IPv4 the loopback network, in IPv6 unique local
 *  addresses (RFC 4193), which are added to the loopback interface. Both are claimed in blocks (`127.77.3` stands for
 *  127.77.3.1 to .254, `fd12::100` for fd12::100 to fd12::1ff). */

/** The network that every local region gives addresses of its own from. */
export const OWN_NETWORK = '127.64.0.0/10';

/** Blocks of addresses that belong to no subnet: 127.77.0.0/24 to 127.96.255.0/24, more than one machine
 *  will ever have servers. */
const POOL = { from: 77, to: 96 };

/** Where the machine's own programs listen, and what regions have of their own. */
const KEPT = { 4: ['127.0.0.0/16', OWN_NETWORK, '127.255.0.0/16'], 6: [OWN_PREFIX] };
const SERVABLE = { 4: '127.0.0.0/8', 6: 'fd00::/8' };
const EXAMPLE = { 4: '127.10.0.0/24', 6: 'fd12:3456:789a:1::/64' };

/** An address that nobody is ever given, to try out whether addresses can be added. */
export const LOOPBACK_PROBE = OWN_PREFIX.replace('::/48', ':ffff:ffff:ffff:ffff:ffff');

/** Why load balancers cannot have addresses of a subnet, or null: they can. */
export function subnetFault(cidr: string): string | null {
  const range = parseRange(cidr);
  if (!range || !within(range, SERVABLE[range.version])) {
    const version = range?.version ?? 4;
    return (
      `${cidr} cannot have load balancers in this region, which serves on its own machine: ` +
      `choose a subnet of ${SERVABLE[version]}, such as ${EXAMPLE[version]}`
    );
  }
  const kept = KEPT[range.version].find((text) => {
    const other = parseRange(text);
    return other && rangesOverlap(range, other);
  });
  if (kept === undefined) return null;
  return `${cidr} overlaps ${kept}, which this machine and its region keep to themselves: choose another subnet`;
}

function within(range: AddressRange, text: string): boolean {
  const whole = parseRange(text);
  return whole?.version === range.version && range.first >= whole.first && range.last <= whole.last;
}

/** `127.77.3.9` → `127.77.3`, `fd12::1a9` → `fd12::100`; null for an address that cannot be claimed. */
export function blockOf(address: string): string | null {
  if (!isIPv4(address)) return sixBlockOf(address);
  const [first, second, third] = address.split('.').map(Number);
  if (first !== 127 || second === undefined || second === 0 || second === 255) return null;
  return `127.${second}.${third}`;
}

function sixBlockOf(text: string): string | null {
  const address = addressNumber(text);
  const unique = parseRange(SERVABLE[6]);
  if (!address || !unique || !rangeContains(unique, text)) return null;
  return addressText(6, address.value & ~0xffn);
}

/** Whether nobody but Virga gives addresses like this one to an interface. */
export function isVirgaOwn(address: string): boolean {
  return KEPT[6].some((text) => {
    const range = parseRange(text);
    return range !== undefined && rangeContains(range, address);
  });
}

/** How people write a block. */
export const blockText = (block: string) => (block.includes(':') ? `${block}/120` : `${block}.0/24`);

/** Whether addresses that belong to no subnet may be allocated from the block. */
export function isPoolBlock(block: string): boolean {
  const [first, second] = block.split('.').map(Number);
  return first === 127 && second !== undefined && second >= POOL.from && second <= POOL.to;
}

export function* poolBlocks(): Generator<string> {
  for (let second = POOL.from; second <= POOL.to; second += 1) {
    for (let third = 0; third < 256; third += 1) yield `127.${second}.${third}`;
  }
}

export function firstFree(block: string, isInUse: (address: string) => boolean): string | null {
  for (let last = 1; last < 255; last += 1) {
    const address = `${block}.${last}`;
    if (!isInUse(address)) return address;
  }
  return null;
}
