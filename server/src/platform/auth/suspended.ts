import { AccountSuspended } from '../../kernel/errors.ts';
import type { Caller } from './caller.ts';

/** For a client that is suspended nothing is done. An operator who acts for it may look.
 *  @throws AccountSuspended */
export function refuseSuspended({ suspended, actsFor = false }: Caller, method: string): void {
  if (suspended === undefined || (actsFor && method === 'GET')) return;
  throw new AccountSuspended(suspended);
}
