import { readFileSync, statSync } from 'node:fs';
import type { Account } from '../../../kernel/accounts.ts';
import * as accounts from '../../../kernel/accounts.ts';
import { StartError } from './start-error.ts';

export { type Account, blockedBy } from '../../../kernel/accounts.ts';

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
  const account = accounts.findAccount(CANDIDATES, passwd);
  if (account) return account;
  throw new StartError(
    `As root, PostgreSQL needs an unprivileged account, and none of ${CANDIDATES.join(', ')} exists: create one, start as an ordinary user, or set DATABASE_URL`,
  );
}
