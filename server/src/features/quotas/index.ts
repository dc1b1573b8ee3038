import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/ids.ts';
import type { Db } from '../../platform/database/db.ts';
import type { Feature } from '../../platform/feature.ts';
import { quotasInNeed } from './attention.ts';
import { quotaExamples } from './examples.ts';
import { noteSent, QUOTA_MAIL, quotaNotifications } from './notifications.ts';
import { operatorQuotaRoutes } from './operator-routes.ts';
import { quotaRoutes } from './routes.ts';

export { excessOf, sumOf } from './amounts.ts';
export { exceededQuotas, exceededSchema } from './exceeded.ts';
export {
  type Amounts,
  GLOBAL_REGION,
  type Quota,
  type QuotaName,
  type QuotaScope,
  quotaOf,
  REGIONAL_NAMES,
} from './model.ts';
export { lockCounters, readQuotas, release, reserve } from './store.ts';

export interface QuotaOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Whether there is somebody who sends mail; without, writing it into the outbox counts as sending. */
  readonly sendsMail: boolean;
}

export function quotas(options: QuotaOptions): Feature {
  return {
    name: 'quotas',
    areas: { Quotas: 'Limits and usage, requests for more, and the warning before a limit is reached.' },
    nouns: {
      client_quotas: ['Quotas', 'Quotas'],
      limits_request: 'LimitsRequest',
      limits_requests: 'LimitsRequest',
    },
    examples: quotaExamples,
    attention: quotasInNeed,
    routes: [...quotaRoutes, ...operatorQuotaRoutes],
    background: [quotaNotifications(options)],
    mailSent: { [QUOTA_MAIL]: noteSent },
  };
}
