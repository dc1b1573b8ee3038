import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ConfigError } from '../startup/config.ts';
import { collectorsOf, readRegionsFile } from './regions-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'virga-regions-'));
afterAll(() => rmSync(directory, { recursive: true }));

function read(...regions: object[]) {
  const file = join(directory, 'regions.json');
  writeFileSync(
    file,
    JSON.stringify({
      regions: regions.map((region, index) => ({ id: index + 1, provider: 'local', ...region })),
    }),
  );
  return readRegionsFile(file);
}

test('a region may have a log collector', () => {
  const collectorOf = collectorsOf(
    read({ name: 'A', log_collector: 'syslog+tcp://logs.example:6514' }, { name: 'B' }),
  );
  expect(collectorOf(1)).toEqual({ transport: 'tcp', host: 'logs.example', port: 6514 });
  expect(collectorOf(2)).toBeUndefined();
  expect(collectorOf(3)).toBeUndefined();
});

test('all faults are named at once, each with its place in the file', () => {
  const start = () =>
    read(
      { name: 'A', log_collector: 'http://logs.example', provider: 'other' },
      { id: 1, name: 'a', log_colector: 'syslog+udp://x', log_collector: 'syslog+udp://logs.example:99999' },
      { faults: { create_server: 0.5, create_vm: [{ first: 1 }, { first: 1, every: 2 }] } },
    );
  const collector = 'must be syslog+tcp://host:port or syslog+udp://host:port';
  expect(start).toThrow(ConfigError);
  for (const fault of [
    'regions.0.provider: ',
    `regions.0.log_collector: ${collector}`,
    'regions.1.id: is the id of regions.0 too',
    'regions.1.name: is the name of regions.0 too',
    'regions.1.log_colector: ',
    `regions.1.log_collector: ${collector}`,
    'regions.2.name: is required',
    'regions.2.faults: create_server is no kind of work',
    'regions.2.faults.create_vm.1.every: cannot be given together with first',
  ]) {
    expect(start).toThrow(fault);
  }
});

test('a local region may name where its addresses come from', () => {
  const pool = { range: '203.0.113.16/28', interface: 'eth0', exclude: ['203.0.113.17'] };
  expect(read({ name: 'A', addresses: [pool] })[0]?.settings.addresses).toEqual([pool]);
  const start = () =>
    read(
      { name: 'A', addresses: [pool, { range: '203.0.113.24/29', interface: 'eth0' }] },
      { name: 'B', provider: 'simulated', addresses: [{ range: '127.0.0.0/24', interface: 'e/0' }] },
      { name: 'C', addresses: [{ range: '2001:db8::/112', interface: 'eth0', exclude: ['::/129'] }] },
    );
  for (const fault of [
    'regions.0.addresses.1.range: overlaps 203.0.113.16/28 of regions.0.addresses.0',
    'regions.1.addresses: is for local regions alone',
    'regions.1.addresses.0.range: is of the loopback network',
    'regions.1.addresses.0.interface: must be the name of an interface',
    'regions.2.addresses.0.exclude.0: must be an address or a network',
  ]) {
    expect(start).toThrow(fault);
  }
});

test('thresholds of the capacity are for local regions, and warn before they stop', () => {
  const capacity = { disk: { warn: 20, stop: 5 }, addresses: { warn: 4, stop: 0 } };
  expect(read({ name: 'A', capacity })[0]?.settings.capacity).toEqual(capacity);
  const start = () =>
    read(
      { name: 'A', capacity: { disk: { warn: 5, stop: 20 }, memory: { warn: 1 } } },
      { name: 'B', provider: 'simulated', capacity },
    );
  for (const fault of [
    'regions.0.capacity.disk.stop: must not be more than warn',
    'regions.0.capacity.memory.stop: is required',
    'regions.1.capacity: is for local regions alone',
  ])
    expect(start).toThrow(fault);
});

test('what is no JSON has a line and a column', () => {
  const file = join(directory, 'regions.json');
  writeFileSync(file, '{\n  "regions": [],\n}');
  expect(() => readRegionsFile(file)).toThrow(
    /^VIRGA_REGIONS: \S+ cannot be read as JSON: .*\(line 3,? column 1\)$/,
  );
});
