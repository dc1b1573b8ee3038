import { isIPv6 } from 'node:net';
import { test } from 'vitest';
import { ipv6Fault } from '../../addresses/loopback.ts';
import type { TestProvider } from './provider.ts';

/** Traffic over IPv6 needs a machine that has it, and the permission to add addresses. Where one is missing, the
 *  tests are shown as skipped, with the reason. */
const fault = await ipv6Fault();
if (fault !== null) process.stderr.write(`Tests of IPv6 traffic are skipped: ${fault}\n`);

export const testIpv6 = test.skipIf(fault !== null);

/** Subnet of the region's own network. */
export const OWN_SIX = { cidr: 'fd76:6972:6761:1::/64', gateway: null, external: true };

export const sixOf = (site: TestProvider): Promise<string> =>
  site.addresses.allocateAddress(new Set(), 'id', OWN_SIX);

export const urlOf = (address: string, port = 8080): string =>
  `http://${isIPv6(address) ? `[${address}]` : address}:${port}/`;
