import { queryClient } from '../api/client.ts';
import { overviewQueries } from '../pages/overview/queries.ts';
import { projectsQuery, regionsQuery } from './home.ts';
import { lastPlace, type Place } from './place.ts';
import { router } from './router.tsx';
import { readSessionOnce } from './session.ts';

/** Asks for what the first page needs all at once: who is signed in, the page's code, and what it shows. One after the
 *  other, each would wait for the one before it and for the drawing between them. */
export function askEarly(): void {
  const { pathname } = location;
  void readSessionOnce().catch(() => undefined);
  const [matched] = router.getMatchedRoutes(pathname);
  for (const { options } of matched) {
    void (options.component as { preload?: () => Promise<void> } | undefined)?.preload?.();
  }
  const last = lastPlace();
  // Who was never signed in here gets no answers yet.
  if (!last) return;
  for (const query of [projectsQuery(), regionsQuery(), ...ofPage(pathname, last)]) {
    void queryClient.prefetchQuery(query as never);
  }
}

function ofPage(pathname: string, last: Place) {
  if (pathname === '/') return overviewQueries(last);
  const [, project, region] = /^\/projects\/(\d+)\/regions\/(\d+)\/?$/.exec(pathname) ?? [];
  return project ? overviewQueries({ project: Number(project), region: Number(region) }) : [];
}
