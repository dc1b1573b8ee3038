import type { Db } from '../../platform/database/db.ts';
import type { Feature } from '../../platform/feature.ts';
import { nodeRoutes } from './routes.ts';
import { unservedForPrometheus } from './unserved.ts';

/** @param others whose resources may not be served: what each says in `unserved` */
export function nodes(db: Db, others: readonly Feature[]): Feature {
  const sources = others.flatMap(({ unserved }) => unserved ?? []);
  return {
    name: 'nodes',
    nouns: { nodes: 'Node' },
    routes: nodeRoutes(sources),
    operatorMetrics: () => unservedForPrometheus(db, sources),
  };
}
