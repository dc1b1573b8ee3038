import { expect, test } from 'vitest';
import { TaskFailed } from '../../../kernel/errors.ts';
import { allPids, commandLine } from '../../../kernel/processes.ts';
import { endPrograms, run } from './programs.ts';

/** Words that nothing else on this machine has in its command line. */
const MARK = `virga-program-test-${process.pid}`;
const SLEEPS = `sleep 1000 & exec sleep 1000 # ${MARK}`;
const left = () => allPids().filter((pid) => commandLine(pid).join(' ').includes(MARK));
const sleepers = () => allPids().filter((pid) => commandLine(pid).join(' ') === `sleep 1000`);

test('a program that takes too long is ended, with what it has started', async () => {
  const before = sleepers();
  await expect(run('sh', ['-c', SLEEPS], { patienceMs: 100 })).rejects.toThrow(
    'The program sh did not end within 0.1 s',
  );
  await expect.poll(left).toEqual([]);
  await expect.poll(() => sleepers().filter((pid) => !before.includes(pid))).toEqual([]);
});

test('what runs while the server stops is ended', async () => {
  const running = run('sleep', ['1000']);
  endPrograms();
  const error = await running.catch((reason: unknown) => reason);
  expect(String(error)).toBe('Error: The program sleep was ended: the server stops');
  // The next server does what is left of the task: it has not failed.
  expect(error).not.toBeInstanceOf(TaskFailed);
});

test('what a program says is kept, but not without end', async () => {
  const { exitCode, output } = await run('sh', ['-c', 'echo first; head -c 3000000 /dev/zero; exit 3']);
  expect(exitCode).toBe(3);
  expect(output.startsWith('first\n')).toBe(true);
  expect(output.length).toBeLessThan(1_000_000);
});
