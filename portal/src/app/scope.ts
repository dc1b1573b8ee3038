import { useParams } from '@tanstack/react-router';
import type { Scope } from '../api/scope.ts';

const KEY = 'virga.place';

/** The place of the address; on pages without one (account, operator) the last one that was looked at. */
export function useScope(): Scope {
  const params = useParams({ strict: false }) as { project?: string; region?: string };
  if (params.project && params.region) {
    return { project: Number(params.project), region: Number(params.region) };
  }
  return lastScope() ?? { project: 0, region: 0 };
}

export function lastScope(): Scope | undefined {
  const match = /^(\d+)\/(\d+)$/.exec(localStorage.getItem(KEY) ?? '');
  return match ? { project: Number(match[1]), region: Number(match[2]) } : undefined;
}

export function rememberScope({ project, region }: Scope): void {
  localStorage.setItem(KEY, `${project}/${region}`);
}
