import type { Feature } from '../../platform/feature.ts';
import type { SubscriptionOptions } from '../webhooks/index.ts';
import { userActionExamples } from './examples.ts';
import { userActionRoutes } from './routes.ts';

export { deliveredUserAction } from './service.ts';

export function userActions(options: SubscriptionOptions): Feature {
  return {
    name: 'user-actions',
    areas: {
      'User actions': 'What users and tokens of the account have changed, listed and posted to subscribers.',
    },
    nouns: { user_actions: 'UserAction' },
    examples: userActionExamples,
    routes: userActionRoutes(options),
  };
}
