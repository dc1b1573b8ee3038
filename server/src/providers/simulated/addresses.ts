import { createHash } from 'node:crypto';
import type { AddressProvider, AddressSource } from '../../features/networking/addresses/port.ts';
import { TaskFailed } from '../../kernel/errors.ts';
import { addressNumber, addressText, firstFreeHost } from '../../kernel/ip.ts';
import { progressOf, type Range, type SimulationOptions } from './timing.ts';

/** Seconds at time scale 1. */
const CHANGE: Range = [1, 3];

/** Addresses that lead nowhere: the seed and the id decide which. */
export function simulatedAddresses(options: SimulationOptions): AddressProvider {
  return {
    computed: true,
    separateNetworks: true,
    async allocateAddress(inUse, id, within) {
      if (!within) return addressFrom(options.seed, id, inUse.size);
      return within.external ? hostFrom(within, options.seed, id, inUse.size) : freeHost(within, inUse);
    },
    allocateFloatingAddress: async (inUse, id) => publicAddressFrom(options.seed, id, inUse),
    changeAddress: async (operation) => progressOf(operation, CHANGE, options),
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
