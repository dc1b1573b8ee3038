import { useQuery } from '@tanstack/react-query';
import { api, apiCall } from '../../api/client.ts';
import { needsOf } from '../../api/may.ts';
import { pathIn } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { textFilter } from '../../ui/filters.tsx';
import { type Column, useListSearch } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { KINDS, type PageSet } from './kinds.ts';

const SETS = '/waap/v1/custom-page-sets';

const COLUMNS: readonly Column<PageSet>[] = [
  { label: 'Name', order: 'name', cell: ({ name }) => name },
  {
    label: 'Own pages',
    cell: (set) =>
      KINDS.filter(({ key }) => set[key]?.enabled)
        .map(({ name }) => name)
        .join(', ') || 'none',
  },
  { label: 'Domains', cell: ({ domains }) => domains?.length ?? 0, end: true },
];

/** Sets of pages that visitors see when they are blocked or challenged. */
export function ResponsePages() {
  const scope = useScope();
  const { page, search } = useListSearch();
  const result = useQuery(
    api.queryOptions('get', SETS, {
      params: {
        query: {
          ...page,
          ordering: search.order_by === 'name.desc' ? '-name' : 'name',
          ...(search.name ? { name: `*${search.name}*` } : {}),
        },
      },
    }),
  );
  return (
    <NounPage<PageSet, never>
      title="Response pages"
      about="What visitors see when the protection of a site blocks or challenges them, in your words and with your logo."
      filters={[textFilter('name', 'Name')]}
      createPage={{
        label: 'Design pages',
        to: pathIn(scope, 'response-pages', 'new'),
        call: () => needsOf('post', SETS),
      }}
      defaultOrder="name.asc"
      result={result}
      columns={COLUMNS}
      href={({ id }) => pathIn(scope, 'response-pages', String(id))}
      remove={{
        kind: 'set of pages',
        askName: ({ domains }) => (domains?.length ?? 0) > 0,
        consequences: ({ domains }) => `${domains?.length ?? 0} domains show the built-in pages again.`,
        call: ({ id }) => apiCall('delete', `${SETS}/{set_id}`, { params: { path: { set_id: id } } }),
      }}
      empty={{
        title: 'No pages of your own',
        about: 'Visitors see the built-in ones. Design six in your words.',
      }}
    />
  );
}
