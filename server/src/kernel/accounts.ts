import { statSync } from 'node:fs';
import path from 'node:path';
import type { Account } from '../../../signing/src/accounts.ts';

export { type Account, findAccount } from '../../../signing/src/accounts.ts';

/** Stands for accounts that own nothing: where it may go, all may. */
export const ANYBODY: Account = { name: 'an account without rights', uid: 65_534, gid: 65_534 };

/**
 * The first folder on the way to `target` (itself included when it is a folder) that the account may not
 * enter, or `target` itself when it may not read it; undefined when it can be reached.
 */
export function blockedBy(target: string, account: Account): string | undefined {
  for (const step of pathSteps(target)) {
    const stat = statSync(step, { throwIfNoEntry: false });
    if (!stat) return undefined;
    const bit = stat.isDirectory() ? 1 : 4;
    if (!permits(stat, account, bit)) return step;
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
