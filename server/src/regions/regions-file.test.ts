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

test('what is no JSON has a line and a column', () => {
  const file = join(directory, 'regions.json');
  writeFileSync(file, '{\n  "regions": [],\n}');
  expect(() => readRegionsFile(file)).toThrow(
    /^VIRGA_REGIONS: \S+ cannot be read as JSON: .*\(line 3,? column 1\)$/,
  );
});
