import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import type { Feature } from '../../platform/feature.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { operatorRoutes } from './operator.ts';
import { iamRoutes } from './routes.ts';
import { SignIn } from './sign-in.ts';
import { signInRoutes, userRoutes } from './user-routes.ts';
import { deleteOldSignIns } from './user-store.ts';

export { readClient } from './client-store.ts';
export { hashPassword, verifyPassword } from './passwords.ts';
export { bearerResolver } from './sessions.ts';
export { newTokenValue } from './token-service.ts';
export { insertToken } from './token-store.ts';

const HOUR_MS = 3_600_000;
/** Attempts to sign in are listed for a year. */
const SIGN_INS_KEPT_MS = 365 * 24 * HOUR_MS;

export interface IamDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly cipher: Cipher;
}

export function iam({ db, clock, cipher }: IamDeps): Feature {
  const forget = () => {
    const now = clock.now();
    return deleteOldSignIns(db, new Date(now.getTime() - SIGN_INS_KEPT_MS), now);
  };
  return {
    name: 'iam',
    background: [{ name: 'iam-forget', everyMs: HOUR_MS, exclusive: true, run: forget }],
    routes: [...iamRoutes, ...signInRoutes(new SignIn(cipher)), ...userRoutes, ...operatorRoutes],
  };
}
