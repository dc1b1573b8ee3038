import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { readText } from './files.ts';
import { allPids, processOf } from './processes.ts';

const KTHREADD = 2;
// In a container nobody sees the kernel's threads, and 2 may be anybody.
const hasKernelThreads = readText(`/proc/${KTHREADD}/comm`) === 'kthreadd\n';

test('a process is ours by its command line', async () => {
  const child = spawn('sleep', ['1000']);
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  expect(processOf(pid, (words) => words.includes('1000'))?.pid).toBe(pid);
  expect(processOf(pid, (words) => words.includes('1001'))).toBeNull();
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(processOf(pid, (words) => words.includes('1000'))).toBeNull();
});

test.skipIf(!hasKernelThreads)(
  `a thread of the kernel is not ours${hasKernelThreads ? '' : ' (none is seen here)'}`,
  () => {
    expect(allPids()).toContain(KTHREADD);
    expect(processOf(KTHREADD, () => true)).toBeNull();
  },
);
