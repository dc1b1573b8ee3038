import type { Clock } from '../../kernel/clock.ts';
import type { Feature } from '../../platform/feature.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { secretsInNeed } from './attention.ts';
import { deprecatedSecretRoutes } from './deprecated-routes.ts';
import { secretExamples } from './examples.ts';
import { secretRoutes } from './routes.ts';
import { resealSecrets } from './sealing.ts';
import { type FindUsers, SecretService } from './service.ts';
import { createSecretTask, deleteSecretTask } from './tasks.ts';

export type { SecretContent, SecretKind } from './material.ts';
export { requireSecrets, type SecretReference } from './references.ts';
export { resealSecrets, SecretReader } from './sealing.ts';
export { secretKinds } from './store.ts';

export interface SecretDeps {
  readonly cipher: Cipher;
  readonly clock: Clock;
  /** Those who use secrets; a used one is not deleted. */
  readonly findUsers: FindUsers;
}

export function secrets({ cipher, clock, findUsers }: SecretDeps): Feature {
  const service = new SecretService(cipher, findUsers);
  return {
    name: 'secrets',
    areas: { Secrets: 'Certificates with their keys, for listeners and pools.' },
    nouns: { secrets: 'Secret' },
    examples: secretExamples,
    attention: secretsInNeed,
    searched: [{ kind: 'secret', table: 'secrets', status: 's.status' }],
    routes: [...secretRoutes(service, clock), ...deprecatedSecretRoutes(service, clock)],
    tasks: [createSecretTask, deleteSecretTask],
    // Its value came with the request: a secret is whole whatever became of its task.
    held: [{ table: 'secrets', becomes: `status = 'ACTIVE'` }],
    reseal: resealSecrets,
  };
}
