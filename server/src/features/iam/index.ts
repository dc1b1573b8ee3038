import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import type { Feature } from '../../platform/feature.ts';
import { resealMail } from '../../platform/mail/outbox.ts';
import { assignmentRoutes } from './assignment-routes.ts';
import { iamExamples } from './examples.ts';
import { factorRoutes } from './factor-routes.ts';
import { resealFactors } from './factor-service.ts';
import { forgetOldChallenges } from './factor-store.ts';
import { invitationRoutes } from './invitation-routes.ts';
import { deleteOldInvitations } from './invitation-store.ts';
import { deleteOldLinks } from './link-store.ts';
import { operatorRoutes } from './operator.ts';
import { iamRoutes } from './routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { deleteOldSessions } from './session-store.ts';
import type { Sessions } from './sessions.ts';
import { SignIn } from './sign-in.ts';
import { forgetOldSources } from './source-store.ts';
import { signInRoutes, userRoutes } from './user-routes.ts';
import { deleteOldSignIns } from './user-store.ts';

export { readClient } from './client-store.ts';
export { hashPassword, verifyPassword } from './passwords.ts';
export { Sessions } from './sessions.ts';
export { newSignInToken } from './sign-in-link.ts';
export { newTokenValue } from './token-service.ts';
export { deleteOrphans, insertToken } from './token-store.ts';

const HOUR_MS = 3_600_000;
/** Attempts to sign in are listed for a year. */
const SIGN_INS_KEPT_MS = 365 * 24 * HOUR_MS;
/** A place where somebody has signed in counts as known for 90 days. */
const SOURCES_KEPT_MS = 90 * 24 * HOUR_MS;

export interface IamDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly sessions: Sessions;
  /** Whether everybody must have a second factor. */
  readonly requireSecondFactor?: boolean | undefined;
  /** Whether mail is sent; otherwise it waits in the outbox. */
  readonly sendsMail: boolean;
}

export function iam({ db, clock, sessions, requireSecondFactor = false, sendsMail }: IamDeps): Feature {
  const forget = async () => {
    const now = clock.now();
    await deleteOldSignIns(db, new Date(now.getTime() - SIGN_INS_KEPT_MS));
    await deleteOldLinks(db, now);
    await deleteOldSessions(db, now);
    await deleteOldInvitations(db, now);
    await forgetOldChallenges(db, now);
    await forgetOldSources(db, new Date(now.getTime() - SOURCES_KEPT_MS));
  };
  const signIn = new SignIn(sessions);
  return {
    name: 'iam',
    areas: {
      Accounts: 'Who calls: the account, its users and its API tokens.',
      'Sign-in':
        'Sessions of people: signing in, staying signed in, forgotten passwords, and the log of sign-ins.',
      Operator: 'What runs the cloud itself. Needs the operator token.',
    },
    nouns: {
      activity_log: 'Activity',
      assignments: 'RoleAssignment',
      'client-users': 'ClientUser',
      clients: 'Client',
      logins: 'Login',
      roles: 'Role',
      second_factors: 'SecondFactor',
      sessions: 'Session',
      tokens: 'Token',
      users: 'User',
    },
    examples: iamExamples,
    reseal: async (tx, cipher) => (await resealMail(tx, cipher)) + (await resealFactors(tx, cipher)),
    background: [{ name: 'iam-forget', everyMs: HOUR_MS, exclusive: true, run: forget }],
    routes: [
      ...iamRoutes,
      ...signInRoutes(signIn, sessions),
      ...sessionRoutes(sessions, signIn),
      ...factorRoutes(requireSecondFactor),
      ...userRoutes,
      ...invitationRoutes(sendsMail),
      ...assignmentRoutes,
      ...operatorRoutes,
    ],
  };
}
