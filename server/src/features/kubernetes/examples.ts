import { type Examples, SAMPLE } from '../../platform/openapi/examples.ts';

const pool = {
  name: 'workers',
  flavor_id: 'g1-standard-2-4',
  min_node_count: 2,
  max_node_count: 4,
  boot_volume_size: 50,
  boot_volume_type: 'ssd_hiiops',
  auto_healing_enabled: true,
  labels: { tier: 'web' },
};

export const kubernetesExamples: Examples = {
  CreateK8sCluster: {
    name: 'shop',
    version: 'v1.33.4',
    keypair: 'anna-laptop',
    fixed_network: SAMPLE.network,
    fixed_subnet: SAMPLE.subnet,
    pools: [pool],
    cni: { provider: 'cilium', cilium: { hubble_relay: true } },
  },
  CheckK8sCluster: { pools: [{ flavor_id: 'g1-standard-2-4', min_node_count: 2, max_node_count: 4 }] },
  CheckK8sPool: { flavor_id: 'g1-standard-2-4', min_node_count: 2, max_node_count: 4, boot_volume_size: 50 },
  UpdateK8sCluster: {
    autoscaler_config: { 'scan-interval': '20s', 'scale-down-unneeded-time': '5m' },
    authentication: {
      oidc: {
        issuer_url: 'https://accounts.example.com',
        client_id: 'shop-cluster',
        username_claim: 'email',
        groups_claim: 'groups',
      },
    },
  },
  UpgradeK8sCluster: { version: 'v1.33.5' },
  CreateK8sPool: {
    ...pool,
    name: 'batch',
    labels: { tier: 'batch' },
    taints: { dedicated: 'batch:NoSchedule' },
    security_group_ids: [SAMPLE.group],
  },
  UpdateK8sPool: {
    min_node_count: 2,
    max_node_count: 6,
    auto_healing_enabled: true,
    labels: { tier: 'web', release: 'canary' },
  },
  ResizeK8sPool: { node_count: 4 },
  TellK8sNodeCondition: { condition: 'NotReady' },
  TellK8sPoolNeed: { needed_nodes: 3 },
};
