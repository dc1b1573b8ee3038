import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ConfigError } from './config.ts';
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

test('collectors that are none stop the start with one line that names them all', () => {
  const start = () =>
    read(
      { name: 'A', log_collector: 'http://logs.example' },
      { name: 'B', log_collector: 'syslog+udp://logs.example:99999' },
    );
  expect(start).toThrow(ConfigError);
  expect(start).toThrow(
    /^VIRGA_REGIONS: a log_collector in \S+ must be syslog\+tcp:\/\/host:port or syslog\+udp:\/\/host:port: that of A is "http:\/\/logs\.example", that of B is "syslog\+udp:\/\/logs\.example:99999"$/,
  );
});

test('a name that two regions have, or a setting that does not exist, stops it too', () => {
  expect(() => read({ name: 'A' }, { name: 'A' })).toThrow(/the same name/);
  expect(() => read({ name: 'A', log_colector: 'syslog+udp://x' })).toThrow(ConfigError);
});
