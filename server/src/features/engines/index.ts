import type { Static } from '@sinclair/typebox';
import type { Feature } from '../../platform/feature.ts';
import { engineRoutes } from './routes.ts';
import type { Engine } from './schema.ts';

export interface EnginesDeps {
  /** Name of this machine. */
  readonly node: string;
  /** The programs of this machine that providers need, as last tried. */
  engines(): readonly Static<typeof Engine>[];
}

export function engines(deps: EnginesDeps): Feature {
  return { name: 'engines', nouns: { engines: 'Engine' }, routes: engineRoutes(deps) };
}
