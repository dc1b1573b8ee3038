import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { StartError } from './start-error.ts';

/** A system account that PostgreSQL runs as, because it refuses to run as root. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Accounts that exist on common systems and may do nothing special, best first. */
const CANDIDATES = ['postgres', '_postgres', 'nobody'];

/**
 * The account for PostgreSQL when this process is root; undefined for an ordinary user, who runs it himself.
 * @param existingData a cluster's folder; when it exists its owner is kept, so that an account that appears
 *   later (an installed Debian PostgreSQL) does not lock the data away
 */
export function serverAccount(existingData: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const stat = statSync(existingData, { throwIfNoEntry: false });
  if (stat && stat.uid !== 0) return { name: `uid ${stat.uid}`, uid: stat.uid, gid: stat.gid };
  return findAccount(readFileSync('/etc/passwd', 'utf8'));
}

/** Picks the account out of the text of /etc/passwd. */
export function findAccount(passwd: string): Account {
  const lines = passwd.split('\n').map((line) => line.split(':'));
  for (const name of CANDIDATES) {
    const line = lines.find((fields) => fields[0] === name);
    const [uid, gid] = [Number(line?.[2]), Number(line?.[3])];
    // macOS writes nobody as -2, which is the unsigned number that the kernel wants.
    if (line && Number.isInteger(uid) && uid !== 0) return { name, uid: uid >>> 0, gid: gid >>> 0 };
  }
  throw new StartError(
    `As root, PostgreSQL needs an unprivileged account, and none of ${CANDIDATES.join(', ')} exists: create one, start as an ordinary user, or set DATABASE_URL.`,
  );
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
