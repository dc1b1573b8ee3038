import { useQuery } from '@tanstack/react-query';
import { api, type Schemas } from '../../api/client.ts';
import { pathParams, type Scope } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';

export type Cluster = Schemas['PostgresqlCluster'];

/** What calls about one cluster need. */
export const clusterPath = (scope: Scope, name: string) => ({ ...pathParams(scope), cluster_name: name });

/** What clusters can be made of here. */
export const useOffer = (enabled = true) =>
  useQuery({
    ...api.queryOptions('get', '/cloud/v1/dbaas/postgres/configuration/{project_id}/{region_id}', {
      params: { path: pathParams(useScope()) },
    }),
    enabled,
  });

export const flavorKey = ({ cpu, memory_gib: memory }: { cpu: number; memory_gib: number }) =>
  `${cpu}/${memory}`;
export const flavorWords = ({ cpu, memory_gib: memory }: { cpu: number; memory_gib: number }) =>
  `${cpu} CPU, ${memory} GiB`;

/** The flavor that a field names by `flavorKey`. */
export function flavorOf(key: string): Schemas['PostgresqlFlavor'] {
  const [cpu = 0, memory = 0] = key.split('/').map(Number);
  return { cpu, memory_gib: memory };
}

/** Why nothing of a cluster can be changed now. */
export const whyFixed = ({ status }: Pick<Cluster, 'status'>): string | undefined => {
  if (status === 'FAILED') return 'It failed; it can only be deleted';
  return status === 'READY' || status === 'UNHEALTHY'
    ? undefined
    : `It is ${status}; wait until its task has ended`;
};
