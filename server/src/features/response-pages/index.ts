import type { Feature } from '../../platform/feature.ts';
import { responsePageExamples } from './examples.ts';
import { responsePageRoutes } from './routes.ts';

export function responsePages(): Feature {
  return {
    name: 'response-pages',
    areas: {
      'Response pages':
        'The pages that visitors of a protected site may see: previews, and sets that are kept.',
    },
    nouns: { 'custom-page-sets': 'CustomPageSet' },
    examples: responsePageExamples,
    searched: [
      {
        kind: 'response_pages',
        table: 'custom_page_sets',
        idType: 'integer',
        owner: 'client',
        project: null,
        region: null,
      },
    ],
    routes: responsePageRoutes,
  };
}
