import { execFileSync, spawn } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withHostLock } from '../../../kernel/host-lock.ts';
import { AddressClaims, CLAIMS_LIST } from './claims.ts';
import { blockOf, subnetFault } from './space.ts';

let root: string;
let folder: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'virga-claims-'));
  folder = join(root, 'claims');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Claims as a server with this data directory makes them. */
function server(name: string): AddressClaims {
  const dataDir = join(root, name);
  mkdirSync(join(dataDir, 'load-balancers'), { recursive: true });
  return new AddressClaims({ folder, dataDir, listPath: join(dataDir, CLAIMS_LIST) });
}

const nothingInUse = () => false;

test('two servers never give the same address, not even when they ask at once', async () => {
  const servers = Array.from({ length: 8 }, (_, index) => server(`data-${index}`));
  const addresses = await Promise.all(servers.map((each) => each.freeAddress(nothingInUse)));
  expect(new Set(addresses.map(blockOf)).size).toBe(8);
  expect(readdirSync(folder).length).toBe(8);
});

test('a restarted server keeps its block, and claims another one when the first is full', async () => {
  const first = await server('data').freeAddress(nothingInUse);
  const again = server('data');
  expect(await again.freeAddress(nothingInUse)).toBe(first);
  const full = blockOf(first);
  const next = await again.freeAddress((address) => blockOf(address) === full);
  expect(blockOf(next)).not.toBe(full);
});

test('an address of another server is refused by the name of its data directory', async () => {
  const address = await server('theirs').freeAddress(nothingInUse);
  await expect(server('ours').require([address])).rejects.toThrow(join(root, 'theirs'));
});

test('an address that nobody has claimed is claimed when it is used (a database that moved here)', async () => {
  await server('ours').require(['127.80.9.7', '192.0.2.1', '::1']);
  expect(readdirSync(folder)).toEqual(['127.80.9']);
  await expect(server('theirs').require(['127.80.9.8'])).rejects.toThrow(join(root, 'ours'));
});

test('a region that is served from another data directory keeps its addresses, and nobody gets them in between', async () => {
  const before = server('before');
  const address = await before.freeAddress(nothingInUse);
  const [third, after] = [server('third'), server('after')];
  expect(blockOf(await third.freeAddress(nothingInUse))).not.toBe(blockOf(address));
  await after.inherit(join(root, 'before'));
  await after.require([address]);
  await expect(before.require([address])).rejects.toThrow(join(root, 'after'));
  await expect(third.require([address])).rejects.toThrow(join(root, 'after'));
});

test('what another server has claimed since is not inherited', async () => {
  const address = await server('before').freeAddress(nothingInUse);
  rmSync(join(folder, String(blockOf(address))));
  await server('third').require([address]);
  const after = server('after');
  await after.inherit(join(root, 'before'));
  await after.inherit(join(root, 'on another machine'));
  await expect(after.require([address])).rejects.toThrow(join(root, 'third'));
});

test('a claim is void once its data directory is gone, does not list it any more, or was moved', async () => {
  const gone = await server('gone').freeAddress(nothingInUse);
  rmSync(join(root, 'gone'), { recursive: true });
  await server('ours').require([gone]);
  const forgotten = await server('forgetful').freeAddress(nothingInUse);
  writeFileSync(join(root, 'forgetful', CLAIMS_LIST), '{}');
  await server('ours').require([forgotten]);
  const moved = await server('before').freeAddress(nothingInUse);
  renameSync(join(root, 'before'), join(root, 'after'));
  await server('after').require([moved]);
  await expect(server('ours').require([moved])).rejects.toThrow(join(root, 'after'));
});

test('released blocks can be had by others', async () => {
  const ours = server('ours');
  const address = await ours.freeAddress(nothingInUse);
  await ours.release();
  expect(readdirSync(folder)).toEqual([]);
  await server('theirs').require([address]);
});

test('the lock of the machine is free again as soon as its holder is killed', async () => {
  const name = `virga-test-${process.pid}`;
  const script = `require('node:net').createServer().listen({path: '\\0${name}'}, () => console.log('held'))`;
  const path = process.platform === 'linux' ? script : 'process.exit()';
  const holder = spawn(process.execPath, ['-e', path], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => holder.stdout.once('data', resolve));
  const order: string[] = [];
  const mine = withHostLock(name, async () => {
    order.push('locked');
  });
  order.push('killed');
  holder.kill('SIGKILL');
  await mine;
  expect(order).toEqual(['killed', 'locked']);
});

test('a subnet gives its addresses in order, but for the gateway, to one server alone', async () => {
  const subnet = { cidr: '127.10.20.0/29', gateway: '127.10.20.1' };
  const [mine, other] = [server('mine'), server('other')];
  const given = new Set<string>();
  for (const last of [2, 3, 4, 5, 6]) {
    const address = await mine.freeAddressOf(subnet, (candidate) => given.has(candidate));
    expect(address).toBe(`127.10.20.${last}`);
    given.add(address);
  }
  await expect(mine.freeAddressOf(subnet, (address) => given.has(address))).rejects.toThrow(
    /no free address/,
  );
  await expect(other.freeAddressOf(subnet, nothingInUse)).rejects.toThrow(/other servers on this machine/);
  expect(await mine.freeAddress(nothingInUse)).toMatch(/^127\.77\.0\./);
});

test('load balancers can have addresses of loopback subnets that nothing else keeps', () => {
  for (const cidr of ['127.1.0.0/16', '127.10.0.0/24', '127.128.0.0/10', '127.254.255.0/30']) {
    expect(subnetFault(cidr)).toBeNull();
  }
  for (const cidr of [
    '10.0.0.0/24',
    '127.0.0.0/8',
    '127.0.5.0/24',
    '127.77.1.0/24',
    '127.255.0.0/24',
    '::/64',
  ]) {
    expect(subnetFault(cidr)).toMatch(/choose a/);
  }
});

test('what others put where claims are is not followed, nor waited for', async () => {
  const shared = mkdtempSync(join(tmpdir(), 'virga-shared-'));
  const target = join(shared, 'target');
  mkdirSync(target, { mode: 0o700 });
  const folder = join(shared, 'linked');
  symlinkSync(target, folder);
  const dataDir = join(shared, 'data');
  mkdirSync(dataDir);
  const claims = (home: string) =>
    new AddressClaims({
      folder: home,
      dataDir,
      listPath: join(dataDir, 'load-balancers', 'addresses.json'),
    });
  await expect(claims(folder).freeAddress(() => false)).rejects.toThrow('is not a folder');
  expect(statSync(target).mode & 0o777).toBe(0o700);

  const own = join(shared, 'own');
  mkdirSync(own);
  execFileSync('mkfifo', [join(own, '127.77.0')]);
  symlinkSync('/etc/passwd', join(own, '127.77.1'));
  expect(await claims(own).freeAddress(() => false)).toMatch(/^127\.77\.0\./);
  expect(readFileSync('/etc/passwd', 'utf8')).toContain('root');
  expect(lstatSync(join(own, '127.77.0')).isFile()).toBe(true);
  rmSync(shared, { recursive: true });
});

test('claims of data directories that are gone are cleared away', async () => {
  const shared = mkdtempSync(join(tmpdir(), 'virga-shared-'));
  const [gone, here] = ['gone', 'here'].map((name) => join(shared, name));
  for (const dataDir of [gone, here]) mkdirSync(String(dataDir));
  const claims = (dataDir = '') =>
    new AddressClaims({ folder: join(shared, 'claims'), dataDir, listPath: join(dataDir, CLAIMS_LIST) });
  await claims(gone).freeAddress(() => false);
  rmSync(String(gone), { recursive: true });
  const own = claims(here);
  await own.removeVoid();
  expect(readdirSync(join(shared, 'claims'))).toEqual([]);
  await own.freeAddress(() => false);
  await claims(here).removeVoid();
  expect(readdirSync(join(shared, 'claims'))).toEqual(['127.77.0']);
  rmSync(shared, { recursive: true });
});
