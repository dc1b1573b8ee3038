import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { regionsQuery } from './home.ts';
import { lacks, needsOfPage } from './nav.ts';
import { useScope } from './scope.ts';

/** Why the region of the page does not have what the page is about; undefined: it has it, or that is not known yet. */
export function useLack(): string | undefined {
  const scope = useScope();
  const { pathname } = useLocation();
  const regions = useQuery(regionsQuery()).data?.results ?? [];
  const region = regions.find(({ id }) => id === scope.region);
  return lacks(needsOfPage(pathname, scope), region, regions);
}
