import type { Schemas } from '../api/client.ts';
import { pathIn, type Scope } from '../api/scope.ts';
import type { Icon } from '../ui/icon.tsx';
import {
  IconBox,
  IconBucket,
  IconDatabase,
  IconLayoutDashboard,
  IconLoadBalancer,
  IconLock,
  IconNetwork,
  IconPlayerPlay,
  IconServer2,
} from '../ui/icons.ts';

/** A kind of resource, as searches name it. */
interface Kind {
  readonly label: string;
  readonly icon: Icon;
  /** The folder of its pages. */
  readonly page: string;
  /** What names its own page; those without one are shown in their list. */
  readonly own?: 'id' | 'name';
}

const kind = (label: string, icon: Icon, page: string, own?: 'id' | 'name'): Kind => ({
  label,
  icon,
  page,
  ...(own ? { own } : {}),
});

const KINDS: Readonly<Record<string, Kind>> = {
  project: kind('Project', IconLayoutDashboard, ''),
  region: kind('Region', IconLayoutDashboard, ''),
  load_balancer: kind('Load balancer', IconLoadBalancer, 'load-balancers', 'id'),
  instance: kind('Instance', IconServer2, 'instances', 'id'),
  volume: kind('Volume', IconServer2, 'volumes', 'id'),
  snapshot: kind('Snapshot', IconServer2, 'snapshots'),
  lifecycle_policy: kind('Lifecycle policy', IconServer2, 'lifecycle-policies'),
  image: kind('Image', IconServer2, 'images'),
  server_group: kind('Server group', IconServer2, 'server-groups'),
  ssh_key: kind('SSH key', IconServer2, 'ssh-keys'),
  network: kind('Network', IconNetwork, 'networks', 'id'),
  subnet: kind('Subnet', IconNetwork, 'networks'),
  router: kind('Router', IconNetwork, 'routers', 'id'),
  port: kind('Port', IconNetwork, 'ports'),
  reserved_fixed_ip: kind('Reserved fixed IP', IconNetwork, 'reserved-ips'),
  floating_ip: kind('Floating IP', IconNetwork, 'floating-ips'),
  security_group: kind('Security group', IconNetwork, 'security-groups', 'id'),
  kubernetes_cluster: kind('Kubernetes cluster', IconBox, 'kubernetes', 'name'),
  postgresql_cluster: kind('PostgreSQL cluster', IconDatabase, 'databases', 'name'),
  object_storage: kind('Storage', IconBucket, 'storages', 'id'),
  secret: kind('Certificate', IconLock, 'secrets'),
  inference_secret: kind('Inference secret', IconLock, 'inference-secrets'),
  registry_credentials: kind('Registry credentials', IconLock, 'registry-credentials'),
  response_pages: kind('Response pages', IconPlayerPlay, 'response-pages', 'id'),
};

export type SearchResult = Schemas['SearchResult'];

/** A resource as it is shown among what was found. */
export interface Shown {
  readonly label: string;
  readonly icon: Icon;
  readonly to: string;
}

/** How a result is shown, and where it leads; undefined: the portal has no page of its kind.
 *  @param here where the reader is: what is in no region is looked at from there */
export function shownAs(found: SearchResult, here: Scope): Shown | undefined {
  const known = KINDS[found.kind];
  if (!known) return undefined;
  const scope = { project: found.project_id ?? here.project, region: found.region_id ?? here.region };
  return { label: known.label, icon: known.icon, to: pageOf(found, scope) ?? pathIn(scope) };
}

/** The page of a resource, or of the list that it is in; undefined: the portal has none of its kind. */
export function pageOf(
  { kind: of, ...names }: Pick<SearchResult, 'kind' | 'id' | 'name'>,
  scope: Scope,
): string | undefined {
  const known = KINDS[of];
  return known && pathIn(scope, ...[known.page, known.own ? names[known.own] : ''].filter(Boolean));
}
