import type { Feature } from '../../platform/feature.ts';
import type { Prices } from '../../platform/prices/prices.ts';
import { pricingExamples } from './examples.ts';
import { Previews } from './previews.ts';
import { pricingRoutes } from './routes.ts';

export function pricing({ prices }: { readonly prices: Prices }): Feature {
  return {
    name: 'pricing',
    areas: { Pricing: 'What creations would cost, and what there is costs.' },
    nouns: {},
    examples: pricingExamples,
    routes: pricingRoutes(new Previews(prices)),
  };
}
