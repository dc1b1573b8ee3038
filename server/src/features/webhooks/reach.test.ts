import { expect, test } from 'vitest';
import { parseNetwork } from '../../kernel/ip.ts';
import { mayReach, post } from './reach.ts';

test.each([
  '127.0.0.1',
  '10.1.2.3',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '::1',
  'fd00::1',
  'fe80::1',
  '::ffff:127.0.0.1',
  '::127.0.0.1',
  '::7f00:1',
  'fec0::1',
])('%s is not on the internet', (address) => {
  expect(mayReach(address, [])).toBe(false);
});

test('public addresses, and those of allowed networks, may be reached', () => {
  expect(mayReach('8.8.8.8', [])).toBe(true);
  expect(mayReach('2606:4700:4700::1111', [])).toBe(true);
  const allowed = [parseNetwork('10.0.0.0/8')].filter((each) => each !== undefined);
  expect(mayReach('10.1.2.3', allowed)).toBe(true);
  expect(mayReach('fd00::1', allowed)).toBe(false);
});

test.each(['http://127.0.0.1:9/', 'http://[::1]:9/', 'http://localhost:9/', 'http://2130706433:9/'])(
  'a call to %s is refused before anything is sent',
  async (url) => {
    const call = post({ url, headers: {}, body: '{}', patienceMs: 10_000, allowed: [] });
    await expect(call).rejects.toThrow('not on the internet');
  },
);
