import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import type { Feature } from '../../platform/feature.ts';
import type { Prices } from '../../platform/prices/prices.ts';
import { pricingExamples } from './examples.ts';
import { Previews } from './previews.ts';
import { KEPT_DAYS } from './reports/model.ts';
import { Reports } from './reports/reports.ts';
import { reportRoutes } from './reports/routes.ts';
import { forgetUsage } from './reports/store.ts';
import { pricingRoutes } from './routes.ts';

const FORGET_EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;

export function pricing({
  prices,
  db,
  clock,
}: {
  readonly prices: Prices;
  readonly db: Db;
  readonly clock: Clock;
}): Feature {
  return {
    name: 'pricing',
    areas: { Pricing: 'What creations would cost, what there is costs, and what was used.' },
    nouns: {},
    examples: pricingExamples,
    routes: [...pricingRoutes(new Previews(prices)), ...reportRoutes(new Reports(prices))],
    background: [
      {
        name: 'usage-forget',
        everyMs: FORGET_EVERY_MS,
        exclusive: true,
        run: () => forgetUsage(db, new Date(clock.now().getTime() - KEPT_DAYS * DAY_MS)),
      },
    ],
  };
}
