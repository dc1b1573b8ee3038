import type { Feature } from '../../platform/feature.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { operatorRoutes } from './operator.ts';
import { iamRoutes } from './routes.ts';
import { SignIn } from './sign-in.ts';
import { signInRoutes, userRoutes } from './user-routes.ts';

export { readClient } from './client-store.ts';
export { hashPassword, verifyPassword } from './passwords.ts';
export { bearerResolver } from './sessions.ts';
export { newTokenValue } from './token-service.ts';
export { insertToken } from './token-store.ts';

export function iam({ cipher }: { cipher: Cipher }): Feature {
  return {
    name: 'iam',
    routes: [...iamRoutes, ...signInRoutes(new SignIn(cipher)), ...userRoutes, ...operatorRoutes],
  };
}
