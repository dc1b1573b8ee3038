import type { Schemas } from '../api/client.ts';
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
import { type Place, pathIn } from './place.ts';

type Flag = 'has_kvm' | 'has_k8s' | 'has_dbaas';

export interface NavItem {
  readonly label: string;
  readonly to: (place: Place) => string;
  /** What the region must be able to do for it. */
  readonly needs?: Flag;
}

export interface NavGroup {
  readonly label: string;
  readonly icon: Icon;
  readonly items: readonly NavItem[];
}

const page = (label: string, path: string, needs?: Flag): NavItem => ({
  label,
  to: (place) => pathIn(place, ...path.split('/').filter(Boolean)),
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
  { label: 'PostgreSQL', icon: IconDatabase, items: [page('PostgreSQL', 'databases')] },
  {
    label: 'Storage',
    icon: IconBucket,
    items: [page('Storages', 'storages'), page('Storage notifications', 'storage')],
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
    label: 'Operator',
    icon: IconTool,
    items: [
      elsewhere('Clients', '/operator/clients'),
      elsewhere('Quota requests', '/operator/quota-requests'),
      elsewhere('Regions', '/operator/regions'),
      elsewhere('Nodes', '/operator/nodes'),
      elsewhere('Simulation', '/operator/simulation'),
      elsewhere('Outbox', '/operator/outbox'),
      elsewhere('Webhook targets', '/operator/webhooks'),
      elsewhere('Deliveries', '/operator/deliveries'),
    ],
  },
];

/** Pages that a region lacks say what would change it. */
export const LACKS: Readonly<Record<Flag, string>> = {
  has_kvm: 'This region has no machines. Choose a region that has: the simulated one does.',
  has_k8s: 'This region has no managed Kubernetes. Choose a region that has: the simulated one does.',
  has_dbaas: 'This region has no managed PostgreSQL. Choose a region that has.',
};

export const lacks = (item: NavItem, region: Schemas['Region'] | undefined): string | undefined =>
  item.needs && region && !region[item.needs] ? LACKS[item.needs] : undefined;
