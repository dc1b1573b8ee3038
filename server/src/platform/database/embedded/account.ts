import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { type Account, ANYBODY, findAccount } from '../../../kernel/accounts.ts';
import { accountOf } from '../../../kernel/engine-accounts.ts';
import { messageOf } from '../../../kernel/errors.ts';
import { StartError } from './start-error.ts';

export { type Account, blockedBy } from '../../../kernel/accounts.ts';

/** Accounts that exist on common systems and may do nothing special, best first. */
const CANDIDATES = ['postgres', '_postgres', 'nobody'];

/** Whom PostgreSQL's data belong to when this process is root, or whoever may do nothing special while there are none;
 *  undefined for an ordinary user, who runs it himself. */
export function ownerOf(data: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const stat = statSync(data, { throwIfNoEntry: false });
  return stat && stat.uid !== 0 ? { name: `uid ${stat.uid}`, uid: stat.uid, gid: stat.gid } : ANYBODY;
}

/** Who makes new data when this process is root: `initdb` asks for an account that has a name.
 *  @throws StartError when this machine has none that may do nothing special */
export function initdbAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const account = findAccount(CANDIDATES);
  if (account) return account;
  throw new StartError(
    `As root, PostgreSQL needs an unprivileged account, and none of ${CANDIDATES.join(', ')} exists: create one, start as an ordinary user, or set DATABASE_URL`,
  );
}

/** The account for PostgreSQL when this process is root: one of its own. Data of version 0.3.0 and before keep their
 *  owner. Undefined for an ordinary user.
 *  @param home only this program writes there
 *  @throws StartError when there is no account to have */
export function serverAccount(home: string, data: string): Account | undefined {
  const owner = ownerOf(data);
  if (owner === undefined || (existsSync(data) && !existsSync(path.join(home, 'account')))) return owner;
  try {
    return accountOf(home);
  } catch (error) {
    throw new StartError(`PostgreSQL gets no account of its own: ${messageOf(error)}`);
  }
}
