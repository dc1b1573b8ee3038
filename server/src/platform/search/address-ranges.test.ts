import { BlockList, isIP } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rangesOfBeginning } from './address-ranges.ts';

/** Addresses that begin with a text are in its ranges. */

function isIn(address: string, begin: string): boolean {
  const list = new BlockList();
  for (const { from, to } of rangesOfBeginning(begin))
    list.addRange(from, to, isIP(from) === 4 ? 'ipv4' : 'ipv6');
  // A list of addresses of one version finds those of the other that mean the same.
  return list.rules.some((rule) => rule.includes(isIP(address) === 4 ? 'IPv4' : 'IPv6'))
    ? list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
    : false;
}

const ipv4 = fc.ipV4();
const ipv6 = fc
  .array(fc.constantFrom(0, 0, 0, 1, 0xa, 0x20, 0x2001, 0xdb8, 0xffff), { minLength: 8, maxLength: 8 })
  .map((groups) =>
    new URL(`http://[${groups.map((group) => group.toString(16)).join(':')}]`).hostname.slice(1, -1),
  );

test('an address is in the ranges of each of its beginnings', () => {
  fc.assert(
    fc.property(fc.oneof(ipv4, ipv6), fc.nat(39), (address, length) => {
      const begin = address.slice(0, length);
      expect([begin, address, isIn(address, begin)]).toEqual([begin, address, true]);
    }),
    { numRuns: 2000 },
  );
});

test('the ranges of a beginning have no other IPv4 address', () => {
  fc.assert(
    fc.property(ipv4, ipv4, fc.nat(15), fc.nat(15), (address, other, shared, length) => {
      const near = address.slice(0, shared) + other.slice(shared);
      fc.pre(isIP(near) === 4);
      const begin = address.slice(0, length);
      if (isIn(near, begin)) expect(near.startsWith(begin)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ['10.9.', [['10.9.0.0', '10.9.255.255']]],
  [
    '10.9.0.7',
    [
      ['10.9.0.7', '10.9.0.7'],
      ['10.9.0.70', '10.9.0.79'],
    ],
  ],
  ['10.9.0.256', []],
  ['10.9.0.7.', []],
  ['010.', []],
  ['host', []],
  ['2001:db8:', [['2001:db8:0:0:0:0:0:0', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff']]],
  ['2001:db8::7', [['2001:db8:0:0:0:0:0:0', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff']]],
  ['2001:DB8:', []],
])('%s is the beginning of %j', (begin, ranges) => {
  expect(rangesOfBeginning(begin).map(({ from, to }) => [from, to])).toEqual(ranges);
});
