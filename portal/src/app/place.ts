import { useParams } from '@tanstack/react-router';
import type { Place } from '../api/place.ts';

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
