import type { Feature } from '../../platform/feature.ts';
import { webhooksInNeed } from './attention.ts';
import { Deliverer, type DelivererOptions } from './deliver.ts';
import { webhookExamples } from './examples.ts';
import { webhookRoutes } from './routes.ts';
import { resealTargets } from './service.ts';
import { countWaiting } from './store.ts';

export { postEvent, type WebhookEvent } from './post.ts';
export type { AllowedNetworks } from './reach.ts';
export { OwnDeliveryListQuery, WebhookDelivery, WebhookDeliveryList } from './schema.ts';
export { listOwnDeliveries, replayOwnDelivery } from './service.ts';
export {
  checkSubscription,
  listSubscriptions,
  MOST_SUBSCRIPTIONS,
  type SubscriptionOptions,
  subscribe,
  testSubscription,
  unsubscribe,
} from './subscriptions.ts';

const DELIVER_EVERY_MS = 250;
const FORGET_EVERY_MS = 3_600_000;

export function webhooks(options: DelivererOptions): Feature {
  const deliverer = new Deliverer(options);
  return {
    name: 'webhooks',
    nouns: { webhook_deliveries: ['WebhookDelivery', 'WebhookDeliveries'], webhook_targets: 'WebhookTarget' },
    examples: webhookExamples,
    attention: webhooksInNeed,
    routes: webhookRoutes(options.cipher),
    background: [
      {
        name: 'webhooks-deliver',
        everyMs: DELIVER_EVERY_MS,
        exclusive: true,
        run: (signal) => deliverer.run(signal),
      },
      {
        name: 'webhooks-forget',
        everyMs: FORGET_EVERY_MS,
        exclusive: true,
        run: () => deliverer.forgetOld(),
      },
    ],
    reseal: resealTargets,
    backlogs: [
      {
        name: 'webhook_deliveries_waiting',
        help: 'Deliveries of webhooks that were neither accepted nor given up',
        count: countWaiting,
      },
    ],
  };
}
