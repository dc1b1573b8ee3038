import { plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import type { SearchSource } from '../../platform/search/source.ts';
import { SearchQuery, SearchResults } from './schema.ts';
import { search } from './service.ts';

export const searchRoutes = (sources: readonly SearchSource[]): readonly Route[] => [
  plainPath('Search', '/virga/v1/search').get({
    operationId: 'searchResources',
    summary: 'Find resources by their name, id, address or tag',
    description: 'Looks through all nouns in all projects and regions that the caller may see.',
    access: 'read',
    query: SearchQuery,
    response: SearchResults,
    handler: (ctx, { query }) => search(ctx, sources, query),
  }),
];
