import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { regionsQuery } from './home.ts';
import { lacks, needsOfPage } from './nav.ts';
import { usePlace } from './place.ts';

/** Why the region of the page does not have what the page is about; undefined: it has it, or that is not known yet. */
export function useLack(): string | undefined {
  const place = usePlace();
  const { pathname } = useLocation();
  const regions = useQuery(regionsQuery()).data?.results ?? [];
  const region = regions.find(({ id }) => id === place.region);
  return lacks(needsOfPage(pathname, place), region, regions);
}
