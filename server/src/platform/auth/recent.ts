import { SecondFactorMissing, SignInNotRecent } from '../../kernel/errors.ts';
import type { Caller } from './caller.ts';

/** What gives lasting rights needs more than a session, which a script in a page can use too: the person must have
 *  signed in, or given the password again, a short while ago. */

export const RECENT_MINUTES = 10;

/** What a call asks of a person. */
interface Requested {
  readonly recentSignIn?: boolean;
  readonly beforeEnrolment?: boolean;
}

/** Whether a person has proved enough for a call.
 *  @throws SecondFactorMissing, SignInNotRecent */
export function requireProof(caller: Caller, { recentSignIn, beforeEnrolment }: Requested, now: Date): void {
  if (caller.mustEnrol && !beforeEnrolment) throw new SecondFactorMissing(ENROL);
  if (recentSignIn) requireRecent(caller, now);
}

const ENROL =
  'Everybody here needs a second factor: add one with POST /virga/v1/second_factors/authenticators, or in the portal; programs use an API token instead';

/** API tokens, and sessions that they opened, have no person to ask.
 *  @throws SignInNotRecent */
function requireRecent({ tokenId, provedAt }: Caller, now: Date): void {
  if (tokenId !== 0) return;
  if (provedAt && now.getTime() - provedAt.getTime() < RECENT_MINUTES * 60_000) return;
  throw new SignInNotRecent(
    `This needs your password or a passkey again, since you gave it more than ${RECENT_MINUTES} minutes ago: ` +
      'send it to POST /virga/v1/session/confirm, then repeat the call',
  );
}
