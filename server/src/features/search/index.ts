import type { Feature } from '../../platform/feature.ts';
import { searchRoutes } from './routes.ts';

/** @param others what is searched: what each says in `searched` */
export function search(others: readonly Feature[]): Feature {
  const sources = others.flatMap(({ searched }) => searched ?? []);
  return {
    name: 'search',
    areas: { Search: 'One call that finds resources of every kind.' },
    routes: searchRoutes(sources),
  };
}
