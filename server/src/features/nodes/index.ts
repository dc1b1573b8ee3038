import type { Feature } from '../../platform/feature.ts';
import { nodeRoutes } from './routes.ts';

export function nodes(): Feature {
  return { name: 'nodes', nouns: { nodes: 'Node' }, routes: nodeRoutes };
}
