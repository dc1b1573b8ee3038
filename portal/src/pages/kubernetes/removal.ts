import { apiCall, type Schemas } from '../../api/client.ts';
import { pathParams, type Scope } from '../../api/scope.ts';
import { type DeleteOptions, whyBusy } from '../../ui/delete-action.tsx';

export const CLUSTERS = '/cloud/v2/k8s/clusters/{project_id}/{region_id}';

type Cluster = Schemas['K8sCluster'];

export const nodesOf = ({ pools }: Pick<Cluster, 'pools'>): number =>
  pools.reduce((sum, { node_count }) => sum + node_count, 0);

/** The question before a cluster is deleted. */
export const removal = (scope: Scope): DeleteOptions<Cluster> => ({
  kind: 'cluster',
  consequences: (cluster) =>
    `${nodesOf(cluster) === 1 ? 'Its node' : `Its ${nodesOf(cluster)} nodes`} and everything that runs there go with it.`,
  askName: () => true,
  disabled: whyBusy,
  call: ({ name }) =>
    apiCall('delete', `${CLUSTERS}/{cluster_name}`, {
      params: { path: { ...pathParams(scope), cluster_name: name } },
    }),
});
