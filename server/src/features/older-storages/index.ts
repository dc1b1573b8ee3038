import type { Feature } from '../../platform/feature.ts';
import { olderStorageExamples } from './examples.ts';
import { olderStorageRoutes } from './routes.ts';
import type { OlderStorageService } from './storages.ts';

/** Versions 1 to 3 of the calls of storages: other shapes of what `/storage/v4` does. */
export const olderStorages = (service: OlderStorageService): Feature => ({
  name: 'older-storages',
  areas: {
    'Older storage calls':
      'Storages of both kinds as older clients call them; `/storage/v4` is the newest form.',
  },
  nouns: {},
  examples: olderStorageExamples,
  routes: olderStorageRoutes(service),
});
