import type { Faults } from '../../kernel/faults.ts';
import type { ClusterSettings } from './model.ts';
import type { ClusterExtra, KubernetesProvider } from './port.ts';

interface Extra {
  readonly field: string;
  readonly isAsked: (settings: ClusterSettings) => boolean;
  readonly name: string;
  readonly instead: string;
}

const LEAVE_OUT = 'leave it out, or choose another region';

const EXTRAS: Readonly<Record<ClusterExtra, Extra>> = {
  cilium: {
    field: 'cni.provider',
    isAsked: ({ cni }) => cni.provider === 'cilium',
    name: 'Cilium',
    instead: 'leave out cni, or choose another region',
  },
  ddos: {
    field: 'ddos_profile',
    isAsked: ({ ddos_profile }) => ddos_profile?.enabled === true,
    name: 'DDoS protection',
    instead: LEAVE_OUT,
  },
  ipv6: {
    field: 'is_ipv6',
    isAsked: ({ is_ipv6 }) => is_ipv6 === true,
    name: 'IPv6 in clusters',
    instead: LEAVE_OUT,
  },
  logging: {
    field: 'logging',
    isAsked: ({ logging }) => logging?.enabled === true,
    name: 'logging of clusters',
    instead: LEAVE_OUT,
  },
  nfs: {
    field: 'csi.nfs',
    isAsked: ({ vast_enabled, ddn_enabled }) => vast_enabled || ddn_enabled === true,
    name: 'NFS storage',
    instead: LEAVE_OUT,
  },
  slurm: {
    field: 'add_ons.slurm',
    isAsked: ({ slurm }) => slurm.enabled === true,
    name: 'Slurm',
    instead: LEAVE_OUT,
  },
};

/** Refuses what clusters of a region cannot have.
 *  @param now what the cluster has already: that may stay */
export function checkExtras(
  faults: Faults,
  { lacks = [] }: Pick<KubernetesProvider, 'lacks'>,
  settings: ClusterSettings,
  now?: ClusterSettings,
): void {
  for (const each of lacks) {
    const { field, isAsked, name, instead } = EXTRAS[each];
    if (isAsked(settings) && !(now && isAsked(now)))
      faults.add(field, `is not possible: this region has no ${name}; ${instead}`);
  }
}
