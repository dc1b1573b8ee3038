import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitUntil } from '../../../../../test/harness/wait.ts';
import { rotateAccessLog, startLogWriter } from './access-log.ts';

test('a log stays within bounds while its writers go on', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'virga-log-'));
  const path = join(directory, 'access.log');
  writeFileSync(path, '');
  const writers = [startLogWriter(path), startLogWriter(path)];
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
