import type { Feature } from '../../platform/feature.ts';
import { engineObjectRoutes } from './routes.ts';

export function engineObjects(): Feature {
  return { name: 'engine-objects', nouns: { engine_objects: 'EngineObject' }, routes: engineObjectRoutes };
}
