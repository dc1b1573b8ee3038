import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitUntil } from '../../../../../test/harness/wait.ts';
import { logWriters, logWritersEnded, startLogWriter } from './log-writer.ts';

test('a log writer that has only just been started is waited for', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'virga-log-'));
  const path = join(directory, 'access.log');
  const writer = startLogWriter(path, directory);
  // Several for a moment: what isolates it starts programs of its own.
  expect(logWriters(path).length).toBeGreaterThan(0);
  writer.end('only line\n');
  await logWritersEnded(path, 60_000);
  expect(readFileSync(path, 'utf8')).toBe('only line\n');
  rmSync(directory, { recursive: true });
});

test('who waits for the writers of a log finds every line in it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'virga-log-'));
  const path = join(directory, 'access.log');
  const writer = startLogWriter(path, directory);
  const [pid = 0] = await waitUntil(() => (logWriters(path).length > 0 ? logWriters(path) : undefined), {
    what: 'the writer',
  });
  // A busy machine has no time for it.
  process.kill(pid, 'SIGSTOP');
  writer.end('last line\n');
  const ended = logWritersEnded(path, 60_000);
  await logWritersEnded(path, 20);
  expect(readFileSync(path, 'utf8')).toBe('');
  process.kill(pid, 'SIGCONT');
  await ended;
  expect(readFileSync(path, 'utf8')).toBe('last line\n');
  rmSync(directory, { recursive: true });
});
