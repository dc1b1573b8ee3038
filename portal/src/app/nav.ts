import type { Schemas } from '../api/client.ts';
import { pathIn, type Scope } from '../api/scope.ts';
import type { Icon } from '../ui/icon.tsx';
import {
  IconActivity,
  IconBox,
  IconBucket,
  IconDatabase,
  IconLayoutDashboard,
  IconLoadBalancer,
  IconLock,
  IconNetwork,
  IconPlayerPlay,
  IconServer2,
  IconTool,
  IconUsers,
} from '../ui/icons.ts';

type Flag = 'has_kvm' | 'has_k8s' | 'has_dbaas';

export interface NavItem {
  readonly label: string;
  readonly to: (scope: Scope) => string;
  /** What the region must be able to do for it. */
  readonly needs?: Flag;
}

/** Of those who run the cloud: everybody else has no use for it. */
const OPERATOR = 'Operator';

export interface NavGroup {
  readonly label: string;
  readonly icon: Icon;
  readonly items: readonly NavItem[];
}

const page = (label: string, path: string, needs?: Flag): NavItem => ({
  label,
  to: (scope) => pathIn(scope, ...path.split('/').filter(Boolean)),
  ...(needs ? { needs } : {}),
});

/** A page that belongs to no place. */
const elsewhere = (label: string, to: string): NavItem => ({ label, to: () => to });

/** Every page that the left bar leads to, in its order. */
export const NAV: readonly NavGroup[] = [
  { label: 'Overview', icon: IconLayoutDashboard, items: [page('Overview', '')] },
  { label: 'Load balancers', icon: IconLoadBalancer, items: [page('Load balancers', 'load-balancers')] },
  {
    label: 'Networking',
    icon: IconNetwork,
    items: [
      page('Networks', 'networks'),
      page('Routers', 'routers'),
      page('Ports', 'ports'),
      page('Reserved fixed IPs', 'reserved-ips'),
      page('Floating IPs', 'floating-ips'),
      page('Security groups', 'security-groups'),
    ],
  },
  {
    label: 'Compute',
    icon: IconServer2,
    items: [
      page('Instances', 'instances', 'has_kvm'),
      page('Volumes', 'volumes', 'has_kvm'),
      page('Snapshots', 'snapshots', 'has_kvm'),
      page('Lifecycle policies', 'lifecycle-policies', 'has_kvm'),
      page('Images', 'images', 'has_kvm'),
      page('SSH keys', 'ssh-keys'),
      page('Server groups', 'server-groups', 'has_kvm'),
    ],
  },
  { label: 'Kubernetes', icon: IconBox, items: [page('Kubernetes', 'kubernetes', 'has_k8s')] },
  {
    label: 'PostgreSQL',
    icon: IconDatabase,
    items: [page('PostgreSQL', 'databases', 'has_dbaas')],
  },
  {
    label: 'Storage',
    icon: IconBucket,
    items: [page('Object storage', 'storages'), page('Storage notifications', 'storage')],
  },
  {
    label: 'Secrets',
    icon: IconLock,
    items: [
      page('Certificates', 'secrets'),
      page('Inference secrets', 'inference-secrets'),
      page('Registry credentials', 'registry-credentials'),
    ],
  },
  {
    label: 'Delivery',
    icon: IconPlayerPlay,
    items: [page('Video', 'video'), page('Response pages', 'response-pages')],
  },
  {
    label: 'Activity',
    icon: IconActivity,
    items: [
      page('Tasks', 'tasks'),
      elsewhere('Audit log', '/account/audit'),
      elsewhere('Sign-ins', '/account/activity'),
      elsewhere('Webhooks', '/account/subscriptions'),
    ],
  },
  {
    label: 'Account',
    icon: IconUsers,
    items: [
      elsewhere('People', '/account/people'),
      elsewhere('API tokens', '/account/tokens'),
      elsewhere('Sessions', '/account/sessions'),
      elsewhere('Second factors', '/account/second-factors'),
      page('Quotas', 'quotas'),
    ],
  },
  {
    label: OPERATOR,
    icon: IconTool,
    items: [
      elsewhere('Clients', '/operator/clients'),
      elsewhere('Quota requests', '/operator/quota-requests'),
      elsewhere('Regions', '/operator/regions'),
      elsewhere('All tasks', '/operator/tasks'),
      elsewhere('Nodes', '/operator/nodes'),
      elsewhere('Simulation', '/operator/simulation'),
      elsewhere('Outbox', '/operator/outbox'),
      elsewhere('Webhook targets', '/operator/webhooks'),
      elsewhere('Deliveries', '/operator/deliveries'),
    ],
  },
];

/** The groups that somebody has a use for. @param isOperator whether the page has the operator's token, or asks for it */
export const navOf = (isOperator: boolean): readonly NavGroup[] =>
  NAV.filter(({ label }) => isOperator || label !== OPERATOR);

/** What a region may lack. */
const LACKS: Readonly<Record<Flag, string>> = {
  has_kvm: 'instances',
  has_k8s: 'managed Kubernetes',
  has_dbaas: 'managed PostgreSQL',
};

/** Why a region does not have what a page is about, and what would change that; undefined: it has it. */
export function lacks(
  { needs }: Pick<NavItem, 'needs'>,
  region: Schemas['Region'] | undefined,
  regions: readonly Schemas['Region'][],
): string | undefined {
  if (!needs || !region || region[needs]) return undefined;
  const others = regions.filter((one) => one[needs] && one.state === 'ACTIVE').map((one) => one.display_name);
  const choice =
    others.length > 0 ? `Choose a region that has: ${others.join(', ')}.` : 'No region has it at present.';
  // No program makes a region of this machine run other machines.
  const remedy =
    needs === 'has_kvm'
      ? ''
      : ' Whoever runs the cloud sees with npm run engines whether a program for it is missing.';
  return `The region ${region.display_name} has no ${LACKS[needs]}. ${choice}${remedy}`;
}

/** What of a region the page at an address needs. */
export const needsOfPage = (pathname: string, scope: Scope): Pick<NavItem, 'needs'> =>
  NAV.flatMap(({ items }) => items).find(({ needs, to }) => needs && pathname === to(scope)) ?? {};
