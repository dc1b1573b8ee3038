import { client, faultOf } from '../api/client.ts';
import { type Place, pathIn, pathParams } from './place.ts';

/** A resource that a search has found. */
export interface Found {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly to: string;
}

interface Noun {
  readonly kind: string;
  readonly path: string;
  /** The folder of its pages. */
  readonly page: string;
  /** What names its own page; those without one are shown in their list. */
  readonly own?: (item: Named) => string;
  /** The list comes as a whole, without pages. */
  readonly whole?: boolean;
  /** How many of it the API gives at most. */
  readonly pageSize?: number;
}

interface Named {
  readonly id?: string | number;
  readonly port_id?: string;
  readonly servergroup_id?: string;
  readonly name?: string;
  readonly cluster_name?: string;
  readonly floating_ip_address?: string;
  readonly fixed_ip_address?: string;
}

const numbered = ({ id }: Named) => String(id);
const byId = (item: Named) => idOf(item);

/** Every noun that has pages. */
const NOUNS: readonly Noun[] = [
  {
    kind: 'Load balancer',
    path: '/cloud/v1/loadbalancers/{project_id}/{region_id}',
    page: 'load-balancers',
    own: byId,
  },
  { kind: 'Instance', path: '/cloud/v1/instances/{project_id}/{region_id}', page: 'instances', own: byId },
  { kind: 'Volume', path: '/cloud/v1/volumes/{project_id}/{region_id}', page: 'volumes', own: byId },
  { kind: 'Snapshot', path: '/cloud/v1/snapshots/{project_id}/{region_id}', page: 'snapshots' },
  { kind: 'Network', path: '/cloud/v1/networks/{project_id}/{region_id}', page: 'networks', own: byId },
  { kind: 'Router', path: '/cloud/v1/routers/{project_id}/{region_id}', page: 'routers', own: byId },
  {
    kind: 'Security group',
    path: '/cloud/v1/securitygroups/{project_id}/{region_id}',
    page: 'security-groups',
    own: byId,
  },
  { kind: 'Floating IP', path: '/cloud/v1/floatingips/{project_id}/{region_id}', page: 'floating-ips' },
  {
    kind: 'Reserved address',
    path: '/cloud/v1/reserved_fixed_ips/{project_id}/{region_id}',
    page: 'reserved-ips',
  },
  { kind: 'Server group', path: '/cloud/v1/servergroups/{project_id}/{region_id}', page: 'server-groups' },
  { kind: 'Certificate', path: '/cloud/v1/secrets/{project_id}/{region_id}', page: 'secrets' },
  { kind: 'Image', path: '/cloud/v1/images/{project_id}/{region_id}', page: 'images' },
  { kind: 'Port', path: '/cloud/v1/ports/{project_id}/{region_id}', page: 'ports' },
  {
    kind: 'Kubernetes cluster',
    path: '/cloud/v2/k8s/clusters/{project_id}/{region_id}',
    page: 'kubernetes',
    own: ({ name = '' }) => name,
    whole: true,
  },
  {
    kind: 'PostgreSQL cluster',
    path: '/cloud/v1/dbaas/postgres/clusters/{project_id}/{region_id}',
    page: 'databases',
    own: (item) => nameOf(item),
  },
  { kind: 'SSH key', path: '/cloud/v1/ssh_keys/{project_id}', page: 'ssh-keys' },
  { kind: 'Inference secret', path: '/cloud/v3/inference/{project_id}/secrets', page: 'inference-secrets' },
  {
    kind: 'Response pages',
    path: '/waap/v1/custom-page-sets',
    page: 'response-pages',
    own: numbered,
    pageSize: 100,
  },
  { kind: 'Storage', path: '/storage/v4/object_storages', page: 'storages', own: numbered },
];

const idOf = ({ id, port_id, servergroup_id, cluster_name }: Named) =>
  String(id ?? servergroup_id ?? port_id ?? cluster_name ?? '');
const nameOf = ({ floating_ip_address, fixed_ip_address, name, cluster_name }: Named) =>
  floating_ip_address ?? fixed_ip_address ?? name ?? cluster_name ?? '';

async function find(place: Place, text: string, noun: Noun): Promise<readonly Found[]> {
  const query = noun.whole ? {} : { limit: noun.pageSize ?? 1000 };
  const { data, error } = await client.GET(
    noun.path as never,
    { params: { path: pathParams(place), query } } as never,
  );
  // What a region refuses it does not have; what was not answered may be there.
  const { failed, againSeconds } = faultOf(error);
  if (failed || againSeconds) throw error;
  const desired = text.toLowerCase();
  return ((data as unknown as { results?: readonly Named[] } | undefined)?.results ?? [])
    .filter((item) => `${nameOf(item)} ${item.name ?? ''} ${idOf(item)}`.toLowerCase().includes(desired))
    .map((item) => ({
      id: idOf(item),
      name: nameOf(item),
      kind: noun.kind,
      to: pathIn(place, noun.page, ...(noun.own ? [noun.own(item)] : [])),
    }));
}

let latest = 0;

export interface Search {
  readonly found: readonly Found[];
  /** Whether some of it could not be read. */
  readonly isPartial: boolean;
}

export const NO_SEARCH: Search = { found: [], isPartial: false };

/** Looks for resources of a place by name or id.
 *  @returns undefined when something else was asked for meanwhile */
export async function findResources(place: Place, text: string): Promise<Search | undefined> {
  latest += 1;
  const mine = latest;
  if (text.trim().length < 2) return NO_SEARCH;
  await new Promise((resolve) => setTimeout(resolve, 150));
  if (mine !== latest) return undefined;
  const answers = await Promise.allSettled(NOUNS.map((noun) => find(place, text.trim(), noun)));
  if (mine !== latest) return undefined;
  return {
    found: answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])).slice(0, 12),
    isPartial: answers.some(({ status }) => status === 'rejected'),
  };
}
