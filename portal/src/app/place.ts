import { useParams } from '@tanstack/react-router';

/** The project and region that a page is about. */
export interface Place {
  readonly project: number;
  readonly region: number;
}

const KEY = 'virga.place';

/** The place of the address; on pages without one (account, operator) the last one that was looked at. */
export function usePlace(): Place {
  const params = useParams({ strict: false }) as { project?: string; region?: string };
  if (params.project && params.region) {
    return { project: Number(params.project), region: Number(params.region) };
  }
  return lastPlace() ?? { project: 0, region: 0 };
}

export function lastPlace(): Place | undefined {
  const match = /^(\d+)\/(\d+)$/.exec(localStorage.getItem(KEY) ?? '');
  return match ? { project: Number(match[1]), region: Number(match[2]) } : undefined;
}

export function rememberPlace({ project, region }: Place): void {
  localStorage.setItem(KEY, `${project}/${region}`);
}

/** The address of a page in a place: `pathIn(place, 'load-balancers', id)`. */
export function pathIn(place: Place, ...parts: readonly string[]): string {
  return ['', 'projects', place.project, 'regions', place.region, ...parts.map(encodeURIComponent)].join('/');
}

/** What calls below a project and a region need. */
export const pathParams = ({ project, region }: Place) => ({ project_id: project, region_id: region });
