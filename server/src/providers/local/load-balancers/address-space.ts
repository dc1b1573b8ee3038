import { isIPv4 } from 'node:net';
import { parseRange, rangesOverlap } from '../../../kernel/subnets.ts';

/** The loopback network, in blocks of 254 addresses (`127.77.3` stands for 127.77.3.1 to .254). */

/** Blocks to take addresses from that belong to no subnet: 127.77.0.0/24 to 127.96.255.0/24, more than one machine
 *  will ever have servers. */
const POOL = { from: 77, to: 96 };

/** Where the machine's own programs listen, and around the pool. */
const KEPT = ['127.0.0.0/16', '127.64.0.0/10', '127.255.0.0/16'];

/** Why load balancers cannot have addresses of a subnet, or null: they can. */
export function subnetFault(cidr: string): string | null {
  const [range, loopback] = [parseRange(cidr), parseRange('127.0.0.0/8')];
  const inside =
    range && loopback && range.version === 4 && range.first >= loopback.first && range.last <= loopback.last;
  if (!inside) {
    return (
      `${cidr} cannot have load balancers in this region, which serves on its own machine: ` +
      'choose a subnet of 127.0.0.0/8, such as 127.10.0.0/24'
    );
  }
  const kept = KEPT.find((text) => {
    const other = parseRange(text);
    return other && rangesOverlap(range, other);
  });
  if (kept === undefined) return null;
  return `${cidr} overlaps ${kept}, which this machine and its region keep to themselves: choose another subnet`;
}

/** `127.77.3.9` → `127.77.3`; null for an address that cannot be claimed. */
export function blockOf(address: string): string | null {
  if (!isIPv4(address)) return null;
  const [first, second, third] = address.split('.').map(Number);
  if (first !== 127 || second === undefined || second === 0 || second === 255) return null;
  return `127.${second}.${third}`;
}

/** Whether addresses that belong to no subnet may be taken from the block. */
export function isPoolBlock(block: string): boolean {
  const second = Number(block.split('.')[1]);
  return second >= POOL.from && second <= POOL.to;
}

export function* poolBlocks(): Generator<string> {
  for (let second = POOL.from; second <= POOL.to; second += 1) {
    for (let third = 0; third < 256; third += 1) yield `127.${second}.${third}`;
  }
}

export function firstFree(block: string, isTaken: (address: string) => boolean): string | null {
  for (let last = 1; last < 255; last += 1) {
    const address = `${block}.${last}`;
    if (!isTaken(address)) return address;
  }
  return null;
}
