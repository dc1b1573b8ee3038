import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clearLeftovers, processesIn } from './leftovers.ts';
import { waitUntil } from './wait.ts';

let parent: string;
const children: ChildProcess[] = [];

beforeAll(() => {
  parent = mkdtempSync(path.join(tmpdir(), 'virga-leftovers-'));
});

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(parent, { recursive: true, force: true });
});

/** A folder of somebody's, with a process that works in it. */
async function left(owner: number, how: 'named' | 'set'): Promise<{ folder: string; child: ChildProcess }> {
  const folder = path.join(parent, `virga-e2e-${owner}-${how}`);
  mkdirSync(path.join(folder, 'postgres'), { recursive: true });
  const args = ['-e', 'setInterval(() => {}, 1000)', ...(how === 'named' ? [folder] : [])];
  const env = how === 'set' ? { VIRGA_DATA_DIR: folder } : {};
  const child = spawn(process.execPath, args, { env, stdio: 'ignore' });
  children.push(child);
  await waitUntil(() => processesIn(folder).includes(child.pid ?? 0), { what: 'the process to begin' });
  return { folder, child };
}

test('what a test process left that is no more is ended and removed, what others work on stays', async () => {
  const gone = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
  await once(gone, 'exit');
  const dead = gone.pid ?? 0;
  const leftovers = [await left(dead, 'named'), await left(dead, 'set')];
  const used = await left(process.pid, 'named');
  const ends = leftovers.map(({ child }) => once(child, 'exit'));
  clearLeftovers(parent);
  await Promise.all(ends);
  for (const { folder } of leftovers) expect(existsSync(folder)).toBe(false);
  expect(existsSync(used.folder)).toBe(true);
  expect(used.child.exitCode ?? used.child.signalCode).toBeNull();
});
