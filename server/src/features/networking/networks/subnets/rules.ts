import type { Faults } from '../../../../kernel/faults.ts';
import {
  type AddressRange,
  addressNumber,
  addressText,
  isHostOf,
  parseRange,
  rangesOverlap,
  usableAddresses,
} from '../../../../kernel/ip.ts';
import type { HostRoute } from '../model.ts';
import type { CreateSubnet } from './schema.ts';

/** What schemas cannot say about subnets. */

/** Ranges in which nothing can have an address of its own. */
const rangesOf = (texts: readonly string[]) => texts.flatMap((text) => parseRange(text) ?? []);
const UNUSABLE = rangesOf(['0.0.0.0/8', '224.0.0.0/4', '240.0.0.0/4', 'ff00::/8', '::/128', '::ffff:0:0/96']);
/** What is sent to these addresses never leaves a host. */
const LOOPBACK = rangesOf(['127.0.0.0/8', '::1/128']);
const SHORTEST_PREFIX = 8;

/** How a new subnet will be. */
export interface SubnetPlan {
  readonly range: AddressRange;
  readonly gateway: string | null;
  readonly totalIps: number;
}

type Subnet = Pick<CreateSubnet, 'cidr'> & Partial<CreateSubnet>;

/** Adds a fault for a network that no host would send to: only those of a region on one host may lie there. */
export function checkLeavesHost(cidr: string, faults: Faults): void {
  const range = parseRange(cidr);
  const kept = range && LOOPBACK.find((other) => rangesOverlap(range, other));
  if (kept) faults.add('cidr', `overlaps ${kept.text}, which never leaves a host`);
}

/** Adds every fault of the body; undefined when the range itself is faulty. */
export function planSubnet(input: Subnet, faults: Faults): SubnetPlan | undefined {
  const range = checkedRange(input, faults);
  if (!range) return undefined;
  if (input.gateway_ip === null && input.connect_to_network_router) {
    faults.add('connect_to_network_router', 'must be false when gateway_ip is null');
  }
  const gateway = input.gateway_ip === undefined ? firstHost(range) : canonical(input.gateway_ip);
  checkGateway(range, gateway, faults);
  checkNameServers(input.dns_nameservers ?? null, faults);
  checkHostRoutes(range, input.host_routes ?? null, faults);
  return { range, gateway, totalIps: countOf(range, gateway) };
}

function checkedRange(input: Subnet, faults: Faults): AddressRange | undefined {
  const range = parseRange(input.cidr);
  if (!range) {
    faults.add('cidr', 'must be a network such as 192.168.10.0/24');
    return undefined;
  }
  const bits = Number(range.text.split('/')[1]);
  const unusable = UNUSABLE.find((other) => rangesOverlap(range, other));
  if (bits < SHORTEST_PREFIX) {
    faults.add('cidr', `must not be larger than /${SHORTEST_PREFIX}`);
  } else if (unusable) {
    faults.add('cidr', `overlaps ${unusable.text}, whose addresses cannot be used`);
  } else if (countOf(range, null) < 2) {
    faults.add('cidr', 'must have room for at least two addresses');
  }
  if (input.ip_version !== undefined && input.ip_version !== range.version) {
    faults.add('ip_version', `${input.cidr} is a network of version ${range.version}`);
  }
  return range;
}

export function checkGateway(range: AddressRange, gateway: string | null, faults: Faults): void {
  if (gateway !== null && !isHostOf(range, gateway)) {
    faults.add('gateway_ip', `must be an address of ${range.text} that something can have`);
  }
}

export function checkNameServers(servers: readonly string[] | null, faults: Faults): void {
  const seen = new Set<string | null>();
  (servers ?? []).forEach((server, index) => {
    const name = canonical(server);
    if (seen.has(name)) faults.add(`dns_nameservers.${index}`, `${server} is given twice`);
    seen.add(name);
  });
}

export function checkHostRoutes(
  range: AddressRange,
  routes: readonly HostRoute[] | null,
  faults: Faults,
): void {
  const seen = new Set<string>();
  (routes ?? []).forEach(({ destination, nexthop }, index) => {
    const text = parseRange(destination)?.text ?? destination;
    if (seen.has(text)) faults.add(`host_routes.${index}.destination`, `${text} is given twice`);
    seen.add(text);
    if (parseRange(nexthop)?.version !== range.version) {
      faults.add(`host_routes.${index}.nexthop`, `must be an address of IP version ${range.version}`);
    }
    if (parseRange(destination)?.version !== range.version) {
      faults.add(`host_routes.${index}.destination`, `must be a network of IP version ${range.version}`);
    }
  });
}

/** One spelling for each address. */
export function canonical(text: string | null): string | null {
  const address = text === null ? undefined : addressNumber(text);
  return address ? addressText(address.version, address.value) : null;
}

/** Addresses that can be given away: all that something can have but the gateway. Beyond 2^53 - 1 not distinguished. */
export function countOf(range: AddressRange, gateway: string | null): number {
  const usable = usableAddresses(range);
  const count = usable ? usable[1] - usable[0] + 1n : 0n;
  const free = gateway !== null && isHostOf(range, gateway) ? count - 1n : count;
  return Number(free < BigInt(Number.MAX_SAFE_INTEGER) ? free : BigInt(Number.MAX_SAFE_INTEGER));
}

function firstHost(range: AddressRange): string | null {
  const usable = usableAddresses(range);
  return usable ? addressText(range.version, usable[0]) : null;
}
