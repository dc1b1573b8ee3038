import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LocalAddresses } from './provider.ts';

let dataDir: string;
let now: number;
let addresses: LocalAddresses;
/** Two addresses, of which the gateway has one. */
const subnet = { cidr: '127.9.255.0/30', gateway: '127.9.255.1' };
const NOTHING = new Set<string>();
const allocate = (inUse: ReadonlySet<string> = NOTHING) => addresses.allocateAddress(inUse, 'id', subnet);

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'virga-addresses-'));
  mkdirSync(join(dataDir, 'load-balancers'));
  now = 1000;
  addresses = new LocalAddresses({ dataDir, clock: () => now, log: { warn: () => {} }, inUse: () => [] });
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

test('an address that was given is not given again before it can be seen in use', async () => {
  expect(await allocate()).toBe('127.9.255.2');
  await expect(allocate()).rejects.toThrow('has no free address');
  now += 61_000;
  expect(await allocate()).toBe('127.9.255.2');
});

test('an address that was stored and then released can soon be given again', async () => {
  const address = await allocate();
  addresses.stored(address);
  await expect(allocate(), 'somebody may have read before it was stored').rejects.toThrow();
  now += 300;
  await expect(allocate(new Set([address])), 'it is in use').rejects.toThrow('has no free address');
  expect(await allocate()).toBe(address);
});
