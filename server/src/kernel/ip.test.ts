import { BlockList } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addressNumber,
  addressText,
  hostsOf,
  isHostOf,
  netmaskBits,
  parseRange,
  rangeContains,
  rangesOverlap,
} from './ip.ts';

const v4 = fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })).map(([ip, bits]) => `${ip}/${bits}`);
const v6 = fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 })).map(([ip, bits]) => `${ip}/${bits}`);
const cidr = fc.oneof(v4, v6);

function range(text: string) {
  const parsed = parseRange(text);
  if (!parsed) throw new Error(`${text} was not understood`);
  return parsed;
}

test('a range has one spelling, and its own addresses are in it as others see it', () => {
  fc.assert(
    fc.property(cidr, fc.oneof(fc.ipV4(), fc.ipV6()), (text, ip) => {
      const parsed = range(text);
      expect(range(parsed.text)).toEqual(parsed);
      const family = parsed.version === 4 ? 'ipv4' : 'ipv6';
      const list = new BlockList();
      const [address = '', bits] = parsed.text.split('/');
      list.addSubnet(address, Number(bits), family);
      expect(list.check(addressText(parsed.version, parsed.last), family)).toBe(true);
      const same = (ip.includes(':') ? 6 : 4) === parsed.version;
      expect(rangeContains(parsed, ip)).toBe(same && list.check(ip, family));
    }),
  );
});

test('an address that ends like one of IPv4 is the same as in hexadecimal digits', () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.constantFrom('::', '::ffff:', '64:ff9b::', '1:2:3:4:5:6:'), (ip, head) => {
      const value = addressNumber(ip)?.value ?? 0n;
      const hex = `${head}${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
      expect(addressNumber(`${head}${ip}`)).toEqual(addressNumber(hex));
    }),
  );
  expect(addressNumber('::1.2.3.4')).toEqual({ version: 6, value: 0x01020304n });
  expect(parseRange('::0.0.0.0/81')?.text).toBe('::/81');
});

test('two ranges overlap when one has the first address of the other, and only then', () => {
  fc.assert(
    fc.property(cidr, cidr, (one, two) => {
      const [a, b] = [range(one), range(two)];
      const has =
        rangeContains(a, b.text.split('/')[0] ?? '') || rangeContains(b, a.text.split('/')[0] ?? '');
      expect(rangesOverlap(a, b)).toBe(has);
    }),
  );
});

test('hosts are all addresses but the network and the broadcast address', () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.integer({ min: 24, max: 32 }), (ip, bits) => {
      const parsed = range(`${ip}/${bits}`);
      const hosts = [...hostsOf(parsed)];
      expect(hosts).toHaveLength(Math.max(0, 2 ** (32 - bits) - 2));
      expect(hosts.every((host) => isHostOf(parsed, host))).toBe(true);
      expect(isHostOf(parsed, addressText(4, parsed.first))).toBe(false);
      expect(isHostOf(parsed, addressText(4, parsed.last))).toBe(false);
    }),
  );
  expect([...hostsOf(range('2001:db8::/126'))]).toEqual(['2001:db8::1', '2001:db8::2', '2001:db8::3']);
});

test('a netmask is what has no hole, whatever the version', () => {
  fc.assert(
    fc.property(fc.constantFrom(4 as const, 6 as const), fc.nat({ max: 128 }), (version, wish) => {
      const width = version === 4 ? 32 : 128;
      const bits = Math.min(wish, width);
      const all = 2n ** BigInt(width) - 1n;
      const mask = all ^ (all >> BigInt(bits));
      expect(netmaskBits(addressText(version, mask))).toEqual({ version, bits });
    }),
  );
  for (const text of ['255.0.255.0', '0.0.0.1', 'ffff::1', '24', ''])
    expect(netmaskBits(text)).toBeUndefined();
});

test('what is no address and no range is neither', () => {
  for (const text of [
    '',
    'x',
    '10.0.0',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    'fe80::1%eth0',
    '::/129',
    '1/8',
  ]) {
    expect(parseRange(text)).toBeUndefined();
  }
  expect(addressNumber('010.0.0.1')).toBeUndefined();
  expect(parseRange('10.1.2.3')?.text).toBe('10.1.2.3/32');
});
