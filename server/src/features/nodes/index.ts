import type { Feature } from '../../platform/feature.ts';
import { nodeRoutes } from './routes.ts';

/** @param others whose resources may not be served: what each says in `unserved` */
export function nodes(others: readonly Feature[]): Feature {
  return {
    name: 'nodes',
    nouns: { nodes: 'Node' },
    routes: nodeRoutes(others.flatMap(({ unserved }) => unserved ?? [])),
  };
}
