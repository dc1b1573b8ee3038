import { queryClient } from '../api/client.ts';
import type { Scope } from '../api/scope.ts';
import { askOverview } from '../pages/overview/queries.ts';
import { projectsQuery, regionsQuery } from './home.ts';
import { router } from './router.tsx';
import { lastScope } from './scope.ts';
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
  const last = lastScope();
  // Who was never signed in here gets no answers yet.
  if (!last) return;
  void queryClient.prefetchQuery(projectsQuery());
  void queryClient.prefetchQuery(regionsQuery());
  askOfPage(pathname, last);
}

/** The overview is the page that people open. */
function askOfPage(pathname: string, last: Scope): void {
  const [, project, region] = /^\/projects\/(\d+)\/regions\/(\d+)\/?$/.exec(pathname) ?? [];
  if (pathname === '/') askOverview(last);
  else if (project) askOverview({ project: Number(project), region: Number(region) });
}
