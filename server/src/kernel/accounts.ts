import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** An account of this machine. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** The first of these accounts that this machine has and that may do nothing special, or undefined. */
export function findAccount(names: readonly string[], passwd = readPasswd()): Account | undefined {
  const lines = passwd.split('\n').map((line) => line.split(':'));
  for (const name of names) {
    const line = lines.find((fields) => fields[0] === name);
    const [uid, gid] = [Number(line?.[2]), Number(line?.[3])];
    // macOS writes nobody as -2, which is the unsigned number that the kernel wants.
    if (line && Number.isInteger(uid) && uid !== 0) return { name, uid: uid >>> 0, gid: gid >>> 0 };
  }
  return undefined;
}

function readPasswd(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8');
  } catch {
    return '';
  }
}

/**
 * The first folder on the way to `target` (itself included when it is a folder) that the account may not
 * enter, or `target` itself when it may not read it; undefined when it can be reached.
 */
export function blockedBy(target: string, account: Account): string | undefined {
  for (const step of pathSteps(target)) {
    const stat = statSync(step, { throwIfNoEntry: false });
    if (!stat) return undefined;
    const wanted = stat.isDirectory() ? 1 : 4;
    if (!permits(stat, account, wanted)) return step;
  }
  return undefined;
}

function pathSteps(target: string): string[] {
  const parent = path.dirname(target);
  return parent === target ? [target] : [...pathSteps(parent), target];
}

function permits(stat: { uid: number; gid: number; mode: number }, account: Account, bit: number): boolean {
  if (stat.uid === account.uid) return (stat.mode & (bit << 6)) !== 0;
  if (stat.gid === account.gid) return (stat.mode & (bit << 3)) !== 0;
  return (stat.mode & bit) !== 0;
}
