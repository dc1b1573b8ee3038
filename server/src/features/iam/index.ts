import type { Feature } from '../../platform/feature.ts';
import { iamRoutes } from './routes.ts';

export { readClient } from './client-store.ts';
export { hashPassword, verifyPassword } from './passwords.ts';
export { newTokenValue } from './token-service.ts';
export { insertToken } from './token-store.ts';

export function iam(): Feature {
  return { name: 'iam', routes: iamRoutes };
}
