import { expect, test } from 'vitest';
import { network } from './addresses.ts';

test.each(['10.0.0.0/8', '10.0.0.1', 'fd12::/16', '::ffff:1.2.3.4'])('%s is a network', (cidr) => {
  expect(network(cidr)).toBe(cidr);
});

test.each(['', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/', 'fe80::1%lo', '::ffff:0x1.2.3.4', '10.0.0.1\n'])(
  '%j is none',
  (cidr) => {
    expect(() => network(cidr)).toThrow('is not a network in CIDR notation');
  },
);
