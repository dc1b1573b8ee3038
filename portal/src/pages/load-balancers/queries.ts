import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, type Schemas, whileBusy } from '../../api/client.ts';
import { pathParams, type Scope } from '../../api/scope.ts';

type Balancer = Schemas['LoadBalancer'];
/** The stream says when health moves; what a task does, step by step, is looked for. */
const LIVE = { ...whileBusy<Balancer>(({ task_id }) => task_id !== null), placeholderData: keepPreviousData };
const PARTS = { placeholderData: keepPreviousData };

export const loadBalancerQuery = (scope: Scope, id: string) =>
  api.queryOptions('get', '/cloud/v1/loadbalancers/{project_id}/{region_id}/{load_balancer_id}', {
    params: {
      path: { ...pathParams(scope), load_balancer_id: id },
      query: { show_stats: true, with_ddos: true },
    },
  });

/** The load balancer with all its parts, live. */
export function useLoadBalancer(scope: Scope, id: string) {
  const path = pathParams(scope);
  const query = { load_balancer_id: id };
  const lb = useQuery({ ...loadBalancerQuery(scope, id), ...LIVE });
  const listeners = useQuery({
    ...api.queryOptions('get', '/cloud/v1/lblisteners/{project_id}/{region_id}', {
      params: { path, query: { ...query, show_stats: true } },
    }),
    ...PARTS,
  });
  const pools = useQuery({
    ...api.queryOptions('get', '/cloud/v1/lbpools/{project_id}/{region_id}', {
      params: { path, query: { ...query, details: true } },
    }),
    ...PARTS,
  });
  const all = useQuery({
    ...api.queryOptions('get', '/cloud/v1/l7policies/{project_id}/{region_id}', { params: { path } }),
    ...PARTS,
  });
  const own = (listeners.data?.results ?? []) as readonly Schemas['Listener'][];
  const policies = (all.data?.results ?? []).filter(({ listener_id }) =>
    own.some(({ id: one }) => one === listener_id),
  );
  const parts = [lb, listeners, pools, all];
  return {
    lb: lb.data,
    listeners: own,
    pools: (pools.data?.results ?? []) as readonly Schemas['Pool'][],
    policies,
    /** Whether all of it is known: until then nothing may be called empty. */
    isKnown: parts.every(({ data }) => data !== undefined),
    /** Why some of it is not known. */
    error: parts.find(({ data, error }) => error && data === undefined)?.error,
    /** What of it is from before. */
    old: parts.find(({ error }) => error),
    again: () => void Promise.all(parts.map((part) => part.refetch())),
  };
}
