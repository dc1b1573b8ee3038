import { createHash } from 'node:crypto';
import type { AddressProvider, AddressSource } from '../../features/networking/addresses/port.ts';
import { addressNumber, addressText } from '../../kernel/ip.ts';
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
      return hostFrom(within, options.seed, id, inUse.size);
    },
    allocateFloatingAddress: async (inUse, id) => publicAddressFrom(options.seed, id, inUse.size),
    changeAddress: async (operation) => progressOf(operation, CHANGE, options),
  };
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

/** One of the documentation networks if it is free there, else one of shared address space: neither leads anywhere. */
function publicAddressFrom(seed: string, id: string, attempt: number): string {
  if (attempt === 0) {
    const digest = createHash('sha256')
      .update(JSON.stringify([seed, 'floating', id]))
      .digest();
    const scope = digest.readUInt32BE(0) % (DOCUMENTATION.length * HOSTS);
    return `${DOCUMENTATION[Math.floor(scope / HOSTS)]}.${1 + (scope % HOSTS)}`;
  }
  const shared = createHash('sha256')
    .update(JSON.stringify([seed, id, attempt]))
    .digest();
  return `100.${64 + (shared.readUInt8(0) & 63)}.${shared.readUInt8(1)}.${1 + (shared.readUInt8(2) % HOSTS)}`;
}
