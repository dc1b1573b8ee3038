import { Link, useParams, useSearch } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import type { Routing, Search } from '../ui/routing.tsx';
import { useLack } from './lack.ts';
import { router } from './router.tsx';
import { useScope } from './scope.ts';

/** How the portal follows addresses. */
export const routing: Routing = {
  Link: (props) => <Link {...(props as ComponentProps<typeof Link>)} />,
  go: (to, how) => router.navigate({ href: to, ...how }),
  preload: (to) => void router.preloadRoute({ to }).catch(() => undefined),
  changeSearch: (change, how) => {
    const { pathname, search } = router.state.location;
    return router.navigate({ href: `${pathname}${router.options.stringifySearch(change(search))}`, ...how });
  },
  useSearch: () => useSearch({ strict: false }) as Search,
  useParameters: () => useParams({ strict: false }),
  useScope,
  useLack,
};
