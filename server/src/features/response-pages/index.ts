import type { Feature } from '../../platform/feature.ts';
import { responsePageExamples } from './examples.ts';
import { responsePageRoutes } from './routes.ts';

export function responsePages(): Feature {
  return { name: 'response-pages', examples: responsePageExamples, routes: responsePageRoutes };
}
