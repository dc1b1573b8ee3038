import { queryClient } from '../api/client.ts';
import type { Place } from '../api/place.ts';
import { askOverview } from '../pages/overview/queries.ts';
import { projectsQuery, regionsQuery } from './home.ts';
import { lastPlace } from './place.ts';
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
  void queryClient.prefetchQuery(projectsQuery());
  void queryClient.prefetchQuery(regionsQuery());
  askOfPage(pathname, last);
}

/** The overview is the page that people open. */
function askOfPage(pathname: string, last: Place): void {
  const [, project, region] = /^\/projects\/(\d+)\/regions\/(\d+)\/?$/.exec(pathname) ?? [];
  if (pathname === '/') askOverview(last);
  else if (project) askOverview({ project: Number(project), region: Number(region) });
}
