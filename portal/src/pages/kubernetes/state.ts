import { useQuery } from '@tanstack/react-query';
import { api, type Schemas, SELDOM_MS, whileBusy } from '../../api/client.ts';
import { pathParams } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';

export type ClusterState = Schemas['K8sClusterState'];

/** Pods come and go without a word of the stream. */
const PODS_MS = 10_000;

/** How the nodes and pods of a cluster are.
 *  @param isChanging whether a task works on the cluster */
export function useClusterState(name: string, isChanging: boolean) {
  const path = { ...pathParams(useScope()), cluster_name: name };
  return useQuery({
    ...api.queryOptions('get', '/virga/v1/k8s/{project_id}/{region_id}/{cluster_name}/state', {
      params: { path },
    }),
    ...whileBusy<ClusterState>(
      ({ nodes }) => isChanging || nodes.some(({ state }) => state !== 'READY'),
      ({ is_simulated: isSimulated }) => (isSimulated ? SELDOM_MS : PODS_MS),
    ),
  });
}

export type ClusterStateQuery = ReturnType<typeof useClusterState>;
