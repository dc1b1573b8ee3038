import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newFolder } from '../../../../../test/harness/leftovers.ts';
import { TaskFailed } from '../../../kernel/errors.ts';
import { startDetached } from './detached.ts';

/** Starts a shell that never answers. @returns why it could not be started */
async function failure(script: string): Promise<unknown> {
  const folder = newFolder('server');
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const start = startDetached({
    command: { program: '/bin/sh', words: ['-c', script] },
    cwd: folder,
    pidFile: path.join(folder, 'pid'),
    log: path.join(folder, 'log'),
    name: 'The shell',
    answers: async () => false,
  });
  return start.then(
    () => undefined,
    (error: unknown) => error,
  );
}

test('a program that ends by itself fails the task, with what it said', async () => {
  const error = await failure('echo no room >&2; exit 1');
  expect(error).toBeInstanceOf(TaskFailed);
  expect(error).toHaveProperty('message', 'The shell did not start: no room');
});

test('a program that is killed while it starts does not fail the task: it may be started again', async () => {
  const error = await failure('kill -9 $$');
  expect(error).not.toBeInstanceOf(TaskFailed);
  expect(error).toHaveProperty('message', 'The shell was killed with SIGKILL while it started');
});

test('a program that is not there fails the task', async () => {
  expect(await failure('exec /nowhere/program')).toBeInstanceOf(TaskFailed);
});
