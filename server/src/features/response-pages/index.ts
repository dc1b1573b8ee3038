import type { Feature } from '../../platform/feature.ts';
import { responsePageRoutes } from './routes.ts';

export function responsePages(): Feature {
  return { name: 'response-pages', routes: responsePageRoutes };
}
