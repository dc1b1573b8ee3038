import { createHash } from 'node:crypto';
import type {
  AddressSource,
  LoadBalancerProvider,
  ObservedLoadBalancer,
} from '../../features/load-balancers/port.ts';
import { TaskFailed } from '../../kernel/errors.ts';
import { addressNumber, addressText, firstFreeHost } from '../../kernel/ip.ts';
import { READY } from '../../kernel/operation.ts';
import { progressOf, type Range, type SimulationOptions } from './timing.ts';

/** Seconds at time scale 1. What only repairs or undoes costs no time. */
const DURATIONS: Readonly<Record<string, Range>> = {
  create_loadbalancer: [30, 90],
  resize_loadbalancer: [30, 60],
  failover_loadbalancer: [20, 40],
  delete_loadbalancer: [5, 15],
};
const CHANGE: Range = [3, 10];
/** A floating IP that nothing carries. */
const FLOATING: Range = [1, 3];
const UNDOING = 'restore_loadbalancer';

/** Seen at every version, so that it never looks out of date; counts nothing, since nothing flows. */
const FINE: ObservedLoadBalancer = {
  version: Number.MAX_SAFE_INTEGER,
  members: new Map(),
  listenerStats: new Map(),
  lastChecks: new Map(),
  insteadOfChecks: 'Nothing is checked in a simulated region: every member counts as alive.',
};

/** Load balancers that exist on paper only: real timing, no traffic. Keeps nothing in memory. */
export function simulatedLoadBalancers(options: SimulationOptions): LoadBalancerProvider {
  return {
    passive: true,
    unavailable: async () => null,
    separateNetworks: true,
    async allocateAddress(inUse, id, within) {
      if (!within) return addressFrom(options.seed, id, inUse.size);
      return within.external ? hostFrom(within, options.seed, id, inUse.size) : freeHost(within, inUse);
    },
    allocateFloatingAddress: async (inUse, id) => publicAddressFrom(options.seed, id, inUse),
    changeAddress: async (operation) => progressOf(operation, FLOATING, options),
    async apply(_desired, operation) {
      if (operation.type === UNDOING) return READY;
      return progressOf(operation, DURATIONS[operation.type] ?? CHANGE, options);
    },
    async remove(_id, operation) {
      // Any other task that removes is undoing what it did.
      if (operation.type !== 'delete_loadbalancer') return READY;
      return progressOf(operation, DURATIONS.delete_loadbalancer ?? CHANGE, options);
    },
    observe: async (ids) => new Map(ids.map((id) => [id, FINE])),
    reconcile: async () => {},
  };
}

/** @throws TaskFailed when all addresses of the subnet are in use */
function freeHost(subnet: AddressSource, inUse: ReadonlySet<string>): string {
  const host = firstFreeHost(subnet, inUse);
  if (host === undefined) throw new TaskFailed(`Subnet ${subnet.cidr} has no free address`);
  return host;
}

/** An address of an IPv6 subnet with 64 bits to choose from. */
function hostFrom({ cidr }: AddressSource, seed: string, id: string, attempt: number): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, 'six', id, attempt]))
    .digest();
  const first = addressNumber(cidr.split('/')[0] ?? '')?.value ?? 0n;
  return addressText(6, first | digest.readBigUInt64BE(0) | 1n);
}

const DOCUMENTATION = ['192.0.2', '198.51.100', '203.0.113'];
const HOSTS = 254;

/** An address of 10.0.0.0/8 that is neither the first nor the last of its /24. */
function addressFrom(seed: string, id: string, attempt: number): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, id, attempt]))
    .digest();
  return `10.${digest.readUInt8(0)}.${digest.readUInt8(1)}.${1 + (digest.readUInt16BE(2) % 254)}`;
}

/** Documentation networks as long as they suffice, then shared address space: neither leads anywhere. */
function publicAddressFrom(seed: string, id: string, inUse: ReadonlySet<string>): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, 'floating', id]))
    .digest();
  const start = digest.readUInt32BE(0);
  for (let step = 0; step < DOCUMENTATION.length * HOSTS; step++) {
    const place = (start + step) % (DOCUMENTATION.length * HOSTS);
    const address = `${DOCUMENTATION[Math.floor(place / HOSTS)]}.${1 + (place % HOSTS)}`;
    if (!inUse.has(address)) return address;
  }
  const shared = createHash('sha256')
    .update(JSON.stringify([seed, id, inUse.size]))
    .digest();
  return `100.${64 + (shared.readUInt8(0) & 63)}.${shared.readUInt8(1)}.${1 + (shared.readUInt8(2) % HOSTS)}`;
}
