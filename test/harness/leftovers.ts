import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Folders of tests carry the pid of who made them, so that a later run can clear away what a test left that was
 *  killed or whose time was up: the folder, and the processes that work in it. */

const NAME = /^virga-(?:e2e|server|lb)-(\d+)-/;

export function newFolder(kind: 'e2e' | 'server' | 'lb'): string {
  const folder = mkdtempSync(path.join(tmpdir(), `virga-${kind}-${process.pid}-`));
  // Engines have an account of their own, which has to get there.
  chmodSync(folder, 0o711);
  return folder;
}

/** Ends and removes what test processes left that are no more. */
export function clearLeftovers(parent = tmpdir()): void {
  for (const name of readdirSync(parent)) {
    const owner = NAME.exec(name)?.[1];
    if (owner === undefined || isAlive(Number(owner))) continue;
    const folder = path.join(parent, name);
    for (const pid of processesIn(folder)) end(pid);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Pids of processes whose command line or environment names the folder. */
export function processesIn(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) =>
      ['cmdline', 'environ'].some((file) => contentOf(`/proc/${pid}/${file}`).includes(folder)),
    )
    .map(Number);
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // It has ended, or belongs to somebody else.
    return '';
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It was gone already.
  }
}
