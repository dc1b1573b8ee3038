import type { Faults } from '../../kernel/faults.ts';
import type { ClusterSettings } from './model.ts';
import type { ClusterExtra, KubernetesProvider, PoolExtra } from './port.ts';
import { checkScaling } from './scaling.ts';
import type { CreatePool } from './schema-input.ts';

interface Extra<Settings> {
  readonly field: string;
  readonly isRequested: (settings: Settings) => boolean;
  readonly name: string;
  readonly instead: string;
}

type PoolSettings = Partial<CreatePool>;

const LEAVE_OUT = 'leave it out, or choose another region';

const EXTRAS: Readonly<Record<ClusterExtra, Extra<ClusterSettings>>> = {
  cilium: {
    field: 'cni.provider',
    isRequested: ({ cni }) => cni.provider === 'cilium',
    name: 'Cilium',
    instead: 'leave out cni, or choose another region',
  },
  ddos: {
    field: 'ddos_profile',
    isRequested: ({ ddos_profile }) => ddos_profile?.enabled === true,
    name: 'DDoS protection',
    instead: LEAVE_OUT,
  },
  ipv6: {
    field: 'is_ipv6',
    isRequested: ({ is_ipv6 }) => is_ipv6 === true,
    name: 'IPv6 in clusters',
    instead: LEAVE_OUT,
  },
  logging: {
    field: 'logging',
    isRequested: ({ logging }) => logging?.enabled === true,
    name: 'logging of clusters',
    instead: LEAVE_OUT,
  },
  nfs: {
    field: 'csi.nfs',
    isRequested: ({ vast_enabled, ddn_enabled }) => vast_enabled || ddn_enabled === true,
    name: 'NFS storage',
    instead: LEAVE_OUT,
  },
  slurm: {
    field: 'add_ons.slurm',
    isRequested: ({ slurm }) => slurm.enabled === true,
    name: 'Slurm',
    instead: LEAVE_OUT,
  },
};

const POOL_EXTRAS: Readonly<Record<PoolExtra, Extra<PoolSettings>>> = {
  anti_affinity: {
    field: 'servergroup_policy',
    isRequested: ({ servergroup_policy: policy }) => policy === 'anti-affinity',
    name: 'second machine that nodes could be on',
    instead: 'choose soft-anti-affinity, or another region',
  },
  crio_config: {
    field: 'crio_config',
    isRequested: ({ crio_config: config }) => Object.keys(config ?? {}).length > 0,
    name: 'settings of CRI-O, since its nodes run containerd',
    instead: LEAVE_OUT,
  },
  kubelet_config: {
    field: 'kubelet_config',
    isRequested: ({ kubelet_config: config }) => Object.keys(config ?? {}).length > 0,
    name: 'settings of kubelets',
    instead: LEAVE_OUT,
  },
  public_addresses: {
    field: 'is_public_ipv4',
    isRequested: ({ is_public_ipv4: isPublic }) => isPublic === true,
    name: 'external addresses for nodes',
    instead: 'leave it out and use a service of the type LoadBalancer, or choose another region',
  },
  security_groups: {
    field: 'security_group_ids',
    isRequested: ({ security_group_ids: ids }) => (ids ?? []).length > 0,
    name: 'security groups of nodes, which only this machine reaches',
    instead: LEAVE_OUT,
  },
};

type Lacking = Pick<KubernetesProvider, 'lacks' | 'hasOwnAutoscaler'>;

const refusal = ({ name, instead }: Pick<Extra<never>, 'name' | 'instead'>): string =>
  `is not possible: this region has no ${name}; ${instead}`;

/** Refuses what clusters of a region cannot have.
 *  @param now what the cluster has already: that may stay */
export function checkExtras(
  faults: Faults,
  { lacks = [], hasOwnAutoscaler }: Lacking,
  settings: ClusterSettings,
  now?: ClusterSettings,
): void {
  for (const each of lacks) {
    const extra = isOfPool(each) ? undefined : EXTRAS[each];
    if (extra?.isRequested(settings) && !(now && extra.isRequested(now)))
      faults.add(extra.field, refusal(extra));
  }
  if (hasOwnAutoscaler) checkScaling(faults, settings.autoscaler_config, now?.autoscaler_config ?? null);
}

/** Refuses what pools of a region cannot have.
 *  @param at prefix of field names, such as `pools.0.` */
export function checkPoolExtras(
  faults: Faults,
  at: string,
  { lacks = [] }: Lacking,
  pool: PoolSettings,
): void {
  for (const each of lacks) {
    const extra = isOfPool(each) ? POOL_EXTRAS[each] : undefined;
    if (extra?.isRequested(pool)) faults.add(`${at}${extra.field}`, refusal(extra));
  }
}

const isOfPool = (extra: ClusterExtra | PoolExtra): extra is PoolExtra => Object.hasOwn(POOL_EXTRAS, extra);
