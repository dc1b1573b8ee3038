import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressText } from '../../../kernel/ip.ts';
import { ExternalAddresses } from './external.ts';

const log = { warn: () => undefined };

/** Networks in 203.0.113.0/24. */
const network = fc
  .record({ bits: fc.integer({ min: 26, max: 32 }), at: fc.nat(255) })
  .map(({ bits, at }) => `203.0.113.${at & (256 - 2 ** (32 - bits))}/${bits}`);

test('what a range can give is what it has without that which is excluded, whatever overlaps', () => {
  fc.assert(
    fc.property(network, fc.array(network, { maxLength: 4 }), (range, exclude) => {
      const addresses = new ExternalAddresses([{ range, interface: 'eth0', exclude }], log);
      const all = Array.from({ length: 256 }, (_, at) =>
        addressText(4, (203n << 24n) + (113n << 8n) + BigInt(at)),
      );
      const owned = all.filter((address) => addresses.owns(address));
      const { used, total } = addresses.room(4, owned);
      const [base = '', bits = ''] = range.split('/');
      const first = Number(base.split('.')[3]);
      const ends = Number(bits) < 31 ? [first, first + 2 ** (32 - Number(bits)) - 1] : [];
      const given = owned.filter((address) => !ends.includes(Number(address.split('.')[3])));
      expect([used, total]).toEqual([given.length, given.length]);
    }),
  );
});

test('addresses in use count once, and only those of the ranges', () => {
  const pools = [
    { range: '203.0.113.16/28', interface: 'eth0' },
    { range: '2001:db8::/64', interface: 'eth0' },
  ];
  const addresses = new ExternalAddresses(pools, log);
  const inUse = ['203.0.113.17', '127.0.0.5', '2001:DB8::1', '2001:db8:0::1'];
  expect(addresses.room(4, inUse)).toEqual({ used: 1, total: 14 });
  expect(addresses.room(6, inUse)).toEqual({ used: 1, total: 2 ** 64 });
});
