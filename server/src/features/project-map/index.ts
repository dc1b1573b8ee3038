import type { Feature } from '../../platform/feature.ts';
import { mapRoutes } from './routes.ts';

/** @param others what is on the map: what each says in `mapped` */
export function projectMap(others: readonly Feature[]): Feature {
  return {
    name: 'project-map',
    areas: { Map: 'A project as one picture.' },
    routes: mapRoutes(others.flatMap(({ mapped }) => mapped ?? [])),
  };
}
