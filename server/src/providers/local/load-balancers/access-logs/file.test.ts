import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitUntil } from '../../../../../../test/harness/wait.ts';
import { startLogWriter } from '../../host/log-writer.ts';
import { rotateAccessLog } from './file.ts';

test('a log stays within bounds while its writers go on', async () => {
  const home = mkdtempSync(join(tmpdir(), 'virga-log-'));
  const directory = join(home, 'logs');
  mkdirSync(directory);
  const path = join(directory, 'access.log');
  writeFileSync(path, '');
  const writers = [startLogWriter(path, home), startLogWriter(path, home)];
  const size = () => readFileSync(path, 'utf8').length;
  for (let round = 0; round < 6; round += 1) {
    for (const writer of writers) writer.write(`round ${round}\n`.repeat(10));
    await waitUntil(() => size() === 160, { what: 'the lines of both writers' });
    expect(rotateAccessLog(path, 200)).toBe(false);
    expect(rotateAccessLog(path, 100)).toBe(true);
    expect(size()).toBe(0);
  }
  expect(readdirSync(directory).sort()).toEqual([
    'access.log',
    'access.log.1',
    'access.log.2',
    'access.log.3',
  ]);
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('round 5\n'.repeat(20));
  expect(readFileSync(`${path}.3`, 'utf8')).toBe('round 3\n'.repeat(20));
  for (const writer of writers) writer.destroy();
  rmSync(directory, { recursive: true });
});

test('with a retention a log moves every day, and what is older than that goes', () => {
  const directory = mkdtempSync(join(tmpdir(), 'virga-log-'));
  const path = join(directory, 'access.log');
  writeFileSync(path, 'day 0\n');
  const born = statSync(path).birthtimeMs;
  const at = (day: number) => ({ days: 3, now: born + day * 86_400_000 });
  expect(rotateAccessLog(path, 1000, at(0.9))).toBe(false);
  for (let day = 1; day <= 6; day += 1) {
    expect(rotateAccessLog(path, 1000, at(day))).toBe(true);
    const moved = at(day).now / 1000;
    utimesSync(`${path}.1`, moved, moved);
    writeFileSync(path, `day ${day}\n`);
    expect(rotateAccessLog(path, 1000, at(day + 0.5))).toBe(false);
  }
  const kept = readdirSync(directory).sort();
  expect(kept).toEqual(['access.log', 'access.log.1', 'access.log.2', 'access.log.3']);
  expect(kept.map((name) => readFileSync(join(directory, name), 'utf8'))).toEqual([
    'day 6\n',
    'day 5\n',
    'day 4\n',
    'day 3\n',
  ]);
  writeFileSync(path, '');
  expect(rotateAccessLog(path, 1000, at(20))).toBe(true);
  expect(readdirSync(directory)).toEqual(['access.log']);
  rmSync(directory, { recursive: true });
});
