import { expect } from 'vitest';
import { CLUSTERS, clusterBody } from '../../harness/kubernetes.ts';
import { OFFSET, ZULU } from './life-cycle.ts';
import { type Cycles, field, made, scoped, tag } from './scene.ts';

/** @returns the id of a new volume */
const madeVolume = (server: Parameters<typeof made>[0], name: string) =>
  made(server, scoped('volumes'), { source: 'new-volume', name, size: 1 }, 'volumes');

const TIMES = { created_at: OFFSET, updated_at: OFFSET };
const one = (noun: string, id: string) => `/cloud/v1/${noun}/{project_id}/{region_id}/{${id}}`;
const both = { metadata: { b: '2' }, metadata_detailed: [tag('b', '2')], tags: [tag('b', '2')] };
const retag = { method: 'PATCH', body: { tags: { a: null, b: '2' } }, shows: both } as const;
const OIDC = {
  client_id: 'tool',
  issuer_url: 'https://id.test',
  groups_claim: 'groups',
  groups_prefix: 'g:',
  required_claims: { team: 'a' },
  signing_algs: ['RS256'],
  username_claim: 'sub',
  username_prefix: 'u:',
};

export const COMPUTE: Cycles = {
  volume: () => ({
    path: scoped('volumes'),
    body: { source: 'new-volume', name: 'first', size: 1, tags: { a: '1' } },
    kind: 'volumes',
    unread: ['source', 'tags'],
    shows: { metadata_detailed: [tag('a', '1')] },
    changedBy: `PATCH ${one('volumes', 'volume_id')}`,
    older: {
      body: { source: 'new-volume', name: 'first', size: 1, type_name: 'standard', metadata: { a: '1' } },
      unread: ['source', 'type_name'],
      shows: { metadata_detailed: [tag('a', '1')], volume_type: 'standard' },
    },
    updates: [
      field('name', 'second'),
      retag,
      { method: 'POST', path: '/extend', body: { size: 2 }, shows: { size: 2 } },
      {
        method: 'POST',
        path: '/retype',
        body: { volume_type: 'ssd_hiiops' },
        shows: { volume_type: 'ssd_hiiops', limiter_stats: expect.anything() },
      },
    ],
    times: { created_at: OFFSET },
    lists: ['attachments', 'metadata_detailed'],
  }),
  snapshot: async ({ server }) => {
    const volume = await madeVolume(server, 'origin');
    return {
      path: scoped('snapshots'),
      body: { name: 'first', volume_id: volume, description: 'of a tool', tags: { a: '1' } },
      kind: 'snapshots',
      unread: ['tags'],
      shows: { metadata: { a: '1' } },
      changedBy: `PATCH ${one('snapshots', 'snapshot_id')}`,
      older: { body: { name: 'first', volume_id: volume, description: '', metadata: { a: '1' } } },
      updates: [
        field('name', 'second'),
        {
          method: 'PATCH',
          body: { tags: { a: null, b: '2' } },
          shows: { metadata: { b: '2' }, tags: [tag('b', '2')] },
        },
      ],
      times: TIMES,
    };
  },
  'lifecycle policy': async ({ server }) => {
    const volume_ids = [await madeVolume(server, 'kept')];
    const volumes = volume_ids.map((volume_id) => ({ volume_id, volume_name: 'kept' }));
    const interval = {
      type: 'interval',
      resource_name_template: 'kept {volume_id}',
      max_quantity: 4,
      retention_time: { weeks: 0, days: 1, hours: 0, minutes: 0 },
      hours: 6,
    };
    const cron = {
      type: 'cron',
      resource_name_template: 'kept too',
      max_quantity: 1,
      timezone: 'UTC',
      week: '*',
      day_of_week: 'mon,3',
      month: '*',
      day: '*',
      hour: '1,13',
      minute: '0',
    };
    return {
      path: scoped('lifecycle_policy'),
      body: {
        name: 'first',
        status: 'active',
        action: 'volume_snapshot',
        schedules: [interval, cron],
        volume_ids,
      },
      unread: ['volume_ids'],
      changedBy: `PATCH ${one('lifecycle_policy', 'policy_id')}`,
      updates: [
        field('name', 'second'),
        field('status', 'paused'),
        { method: 'PUT', path: '/remove_volumes_from_policy', body: { volume_ids }, shows: { volumes: [] } },
        { method: 'PUT', path: '/add_volumes_to_policy', body: { volume_ids }, shows: { volumes } },
        { method: 'PUT', path: '/add_volumes_to_policy', body: { volume_ids: [] }, shows: {} },
      ],
      times: {},
      lists: ['schedules', 'volumes'],
    };
  },
  image: async ({ server }) => {
    const volume = await madeVolume(server, 'origin');
    return {
      path: scoped('images'),
      body: { name: 'first', volume_id: volume, source: 'volume', os_type: 'linux', ssh_key: 'allow' },
      kind: 'images',
      unread: ['volume_id', 'source'],
      changedBy: `PATCH ${one('images', 'image_id')}`,
      older: {
        createdAt: scoped('downloadimage'),
        body: {
          name: 'first',
          url: 'https://images.virga.test/disk.raw',
          os_type: 'linux',
          metadata: { a: '1' },
        },
        unread: ['url'],
        shows: { metadata_detailed: [tag('a', '1')] },
      },
      updates: [
        field('name', 'second'),
        field('os_type', 'windows'),
        field('ssh_key', 'deny'),
        field('hw_firmware_type', 'uefi'),
        field('hw_machine_type', 'q35'),
        field('is_baremetal', true),
        {
          method: 'PATCH',
          body: { tags: { a: null, b: '2' } },
          shows: { ...both, tags_v2: [tag('b', '2')] },
        },
      ],
      times: { created_at: OFFSET },
      lists: ['metadata_detailed', 'tags', 'tags_v2'],
    };
  },
  instance: ({ network, subnet, image }) => {
    const parts = {
      flavor: 'g1-standard-1-2',
      volumes: [{ source: 'image', image_id: image, size: 10, boot_index: 0, delete_on_termination: true }],
      interfaces: [{ type: 'subnet', network_id: network, subnet_id: subnet }],
    };
    return {
      path: scoped('instances'),
      createdAt: scoped('instances', 'v2'),
      body: { ...parts, name: 'first', tags: { a: '1' } },
      kind: 'instances',
      unread: ['flavor', 'volumes', 'interfaces', 'tags'],
      shows: { instance_name: 'first', metadata: { a: '1' }, metadata_detailed: [tag('a', '1')] },
      changedBy: `PATCH ${one('instances', 'instance_id')}`,
      older: {
        body: { ...parts, names: ['first'], metadata: { a: '1' }, username: '', password: '', user_data: '' },
        unread: ['names', 'flavor', 'volumes', 'interfaces', 'username', 'password', 'user_data'],
        shows: { name: 'first', instance_name: 'first', metadata_detailed: [tag('a', '1')] },
      },
      updates: [
        {
          method: 'PATCH',
          body: { name: 'second' },
          shows: { name: 'second', instance_name: 'second' },
        },
        retag,
        {
          method: 'POST',
          path: '/changeflavor',
          body: { flavor_id: 'g1-standard-2-4' },
          shows: { flavor: { flavor_id: 'g1-standard-2-4' } },
        },
      ],
      times: { created_at: ZULU, instance_created: ZULU },
      lists: ['volumes', 'security_groups', 'metadata_detailed'],
    };
  },
  'server group': () => ({
    path: scoped('servergroups'),
    body: { name: 'first', policy: 'anti-affinity' },
    key: 'servergroup_id',
    times: {},
    lists: ['instances'],
  }),
  'Kubernetes cluster': () => ({
    path: CLUSTERS,
    body: { ...clusterBody('first'), cni: { provider: 'cilium', cilium: { hubble_relay: false } } },
    kind: 'k8s_clusters',
    key: 'name',
    unread: ['pools', 'cni'],
    shows: {
      cni: { provider: 'cilium' },
      fixed_network: '',
      fixed_subnet: '',
      csi: { nfs: { vast_enabled: false, ddn_enabled: false } },
      pools: [{ name: 'workers', security_group_ids: null }],
    },
    changedBy: 'PATCH /cloud/v2/k8s/clusters/{project_id}/{region_id}/{cluster_name}',
    left: {
      add_ons: 'needs nodes with a GPU, which the simulated region has none of',
      ddos_profile: 'the simulated region protects nothing',
    },
    older: {
      body: {
        ...clusterBody('first'),
        fixed_network: '',
        fixed_subnet: '',
        is_ipv6: false,
        cni: { provider: 'cilium', cilium: { tunnel: '', encryption: false, lb_acceleration: false } },
      },
    },
    updates: [
      field('autoscaler_config', { 'scan-interval': '20s' }),
      { ...field('authentication', { oidc: OIDC }) },
      field('cni', { provider: 'cilium', cilium: { hubble_relay: true, hubble_ui: true } }),
      field('logging', {
        enabled: true,
        destination_region_id: 2,
        topic_name: 'tool',
        retention_policy: { period: 7 },
      }),
    ],
    times: { created_at: ZULU },
    lists: ['pools'],
  }),
  'Kubernetes pool': ({ group }) => {
    const own = { name: 'more', flavor_id: 'g1-standard-1-2', min_node_count: 2, max_node_count: 3 };
    return {
      path: `${CLUSTERS}/around/pools`,
      body: { ...own, security_group_ids: [], labels: { a: 'b' }, taints: { a: 'b:NoSchedule' } },
      kind: 'k8s_pools',
      key: 'name',
      changedBy: 'PATCH /cloud/v2/k8s/clusters/{project_id}/{region_id}/{cluster_name}/pools/{pool_name}',
      left: { node_count: 'adds nodes without a task: see the tests of healing and scaling' },
      older: { body: own, shows: { security_group_ids: [] } },
      updates: [
        field('auto_healing_enabled', true),
        field('labels', { tier: 'web' }),
        field('taints', { tier: 'web:NoSchedule' }),
        field('max_node_count', 4),
        field('min_node_count', 1),
        { method: 'POST', path: '/resize', body: { node_count: 3 }, shows: { node_count: 3 } },
        field('security_group_ids', [group]),
        field('security_group_ids', []),
      ],
      times: { created_at: ZULU },
    };
  },
};
