import { expect } from 'vitest';
import { OFFSET } from './life-cycle.ts';
import { type Cycles, field, fieldV2, made, retag, scoped, tag } from './scene.ts';

const TIMES = { created_at: OFFSET, updated_at: OFFSET };
const one = (noun: string, id: string, version = 'v1') =>
  `/cloud/${version}/${noun}/{project_id}/{region_id}/{${id}}`;
const rule = { direction: 'ingress', protocol: 'tcp', port_range_min: 22, port_range_max: 22 };
const everythingOut = [
  expect.objectContaining({ direction: 'egress', ethertype: 'IPv4', protocol: null }),
  expect.objectContaining({ direction: 'egress', ethertype: 'IPv6', protocol: null }),
];

export const NETWORKS: Cycles = {
  network: () => ({
    path: scoped('networks'),
    body: { name: 'first', type: 'vxlan', create_router: false, tags: { a: '1' } },
    kind: 'networks',
    unread: ['create_router', 'tags'],
    shows: { metadata: [tag('a', '1')], tags: [tag('a', '1')] },
    changedBy: `PATCH ${one('networks', 'network_id', 'v2')}`,
    updates: [fieldV2('name', 'second'), retag('v2', { metadata: [tag('b', '2')], tags: [tag('b', '2')] })],
    older: {
      body: { name: 'first', type: 'vxlan', create_router: false, metadata: { a: '1' } },
      unread: ['create_router', 'metadata'],
      updates: [
        field('name', 'second'),
        {
          method: 'PUT',
          path: '/metadata',
          body: { b: '2' },
          shows: { metadata: [tag('b', '2')], tags: [tag('b', '2')] },
        },
      ],
    },
    times: TIMES,
    lists: ['subnets', 'metadata'],
  }),
  subnet: ({ network }) => ({
    path: scoped('subnets'),
    body: { name: 'first', network_id: network, cidr: '10.2.0.0/24', enable_dhcp: true, ip_version: 4 },
    kind: 'subnets',
    shows: { has_router: false, dns_nameservers: [], host_routes: [] },
    changedBy: `PATCH ${one('subnets', 'subnet_id')}`,
    updates: [
      field('name', 'second'),
      field('dns_nameservers', ['9.9.9.9']),
      field('host_routes', [{ destination: '10.9.0.0/16', nexthop: '10.2.0.9' }]),
      field('enable_dhcp', false),
      field('gateway_ip', '10.2.0.77'),
      {
        ...field('gateway_ip', null),
        shows: { gateway_ip: null, total_ips: expect.any(Number), available_ips: expect.any(Number) },
      },
      field('dns_nameservers', []),
      field('host_routes', []),
      {
        method: 'PATCH',
        body: { tags: { b: '2' } },
        shows: { tags: [tag('b', '2')], metadata: [tag('b', '2')] },
      },
    ],
    older: {
      body: {
        name: 'first',
        network_id: network,
        cidr: '10.3.0.0/24',
        enable_dhcp: true,
        metadata: { a: '1' },
        connect_to_network_router: false,
        dns_nameservers: [],
        host_routes: [],
        gateway_ip: null,
      },
      unread: ['connect_to_network_router', 'metadata'],
      shows: { has_router: false, metadata: [tag('a', '1')] },
      updates: [
        {
          method: 'PATCH',
          body: { name: 'second', enable_dhcp: true, dns_nameservers: ['9.9.9.9'], host_routes: [] },
          shows: { name: 'second', enable_dhcp: true, dns_nameservers: ['9.9.9.9'] },
        },
      ],
    },
    times: TIMES,
    lists: ['dns_nameservers', 'host_routes', 'metadata'],
  }),
  router: async ({ server, network, subnet }) => {
    const { results } = (await server.call('GET', `${scoped('networks')}?external=true`)).body;
    const manual = { type: 'manual', network_id: results[0].id, enable_snat: true };
    const joins = [
      {
        method: 'POST',
        path: '/attach',
        body: { subnet_id: subnet },
        shows: { interfaces: [{ network_id: network }] },
      },
      { method: 'POST', path: '/detach', body: { subnet_id: subnet }, shows: { interfaces: [] } },
    ] as const;
    const gateway = { enable_snat: true, type: 'default' };
    return {
      path: scoped('routers'),
      body: { name: 'first' },
      kind: 'routers',
      changedBy: `PATCH ${one('routers', 'router_id', 'v2')}`,
      updates: [
        fieldV2('name', 'second'),
        ...joins.slice(0, 1),
        fieldV2('routes', [{ destination: '10.200.0.0/16', nexthop: '10.1.0.9' }]),
        fieldV2('routes', []),
        ...joins.slice(1),
        fieldV2('external_gateway_info', manual, { network_id: results[0].id, enable_snat: true }),
      ],
      older: {
        body: { name: 'first', external_gateway_info: gateway, interfaces: [], routes: [] },
        unread: ['external_gateway_info'],
        shows: { external_gateway_info: { enable_snat: true } },
        updates: [
          field('name', 'second'),
          field('external_gateway_info', manual, { network_id: results[0].id, enable_snat: true }),
          ...joins,
        ],
      },
      times: TIMES,
      lists: ['interfaces', 'routes'],
    };
  },
  'floating IP': async ({ server, subnet }) => {
    const reserved = { type: 'subnet', subnet_id: subnet };
    const port = await made(server, scoped('reserved_fixed_ips'), reserved, 'ports');
    const { fixed_ip_address } = (await server.call('GET', `${scoped('reserved_fixed_ips')}/${port}`)).body;
    const assigned = { port_id: port, fixed_ip_address, status: 'ACTIVE', router_id: expect.anything() };
    const free = { port_id: null, fixed_ip_address: null, status: 'DOWN', router_id: null };
    return {
      path: scoped('floatingips'),
      body: { tags: { a: '1' } },
      kind: 'floatingips',
      unread: ['tags'],
      shows: { metadata: [tag('a', '1')], port_id: null, fixed_ip_address: null },
      changedBy: `PATCH ${one('floatingips', 'floating_ip_id', 'v2')}`,
      left: { fixed_ip_address: 'names an address of the port that is given with it' },
      updates: [
        retag('v2', { metadata: [tag('b', '2')], tags: [tag('b', '2')] }),
        { method: 'PATCH', version: 'v2', body: { port_id: port }, shows: assigned },
        { method: 'PATCH', version: 'v2', body: { port_id: null }, shows: free },
      ],
      older: {
        body: { port_id: '', metadata: { a: '1' } },
        unread: ['metadata', 'port_id'],
        updates: [
          { method: 'POST', path: '/assign', body: { port_id: port, fixed_ip_address }, shows: assigned },
          { method: 'POST', path: '/unassign', body: {}, shows: free },
        ],
      },
      times: TIMES,
      lists: ['metadata'],
    };
  },
  'reserved fixed IP': ({ network, subnet }) => ({
    path: scoped('reserved_fixed_ips'),
    body: { type: 'subnet', subnet_id: subnet, is_vip: false },
    kind: 'ports',
    unread: ['type'],
    shows: { network: { id: network, metadata: [] } },
    changedBy: `PATCH ${one('reserved_fixed_ips', 'port_id')}`,
    updates: [
      {
        ...field('is_vip', true),
        shows: { is_vip: true, reservation: { resource_id: null, resource_type: null, status: 'attached' } },
      },
      {
        ...field('is_vip', false),
        shows: {
          is_vip: false,
          reservation: { resource_id: null, resource_type: null, status: 'available' },
        },
      },
    ],
    times: TIMES,
    lists: ['allowed_address_pairs', 'attachments'],
  }),
  'security group': () => ({
    path: scoped('securitygroups'),
    createdAt: scoped('security_groups', 'v2'),
    body: { name: 'first', description: 'of a tool', rules: [] },
    kind: 'security_groups',
    unread: ['rules'],
    shows: { security_group_rules: everythingOut, metadata: [] },
    older: {
      createdAt: scoped('securitygroups'),
      body: { security_group: { name: 'first', description: 'of a tool', security_group_rules: [rule] } },
      kind: null,
      unread: ['security_group'],
      shows: {
        name: 'first',
        description: 'of a tool',
        security_group_rules: [rule, ...everythingOut],
        metadata: [],
      },
    },
    updates: [
      field('name', 'second'),
      {
        method: 'PATCH',
        body: { changed_rules: [{ action: 'create', ...rule, port_range_max: 23 }] },
        shows: {
          security_group_rules: expect.arrayContaining([expect.objectContaining({ port_range_max: 23 })]),
        },
      },
      {
        method: 'PATCH',
        body: { tags: { b: '2' } },
        shows: { tags_v2: [tag('b', '2')], metadata: [tag('b', '2')] },
      },
    ],
    times: TIMES,
    lists: ['metadata', 'security_group_rules'],
  }),
  'security group under v2': () => ({
    path: scoped('securitygroups'),
    createdAt: scoped('security_groups', 'v2'),
    body: { name: 'first', description: 'of a tool', rules: [rule] },
    kind: 'security_groups',
    unread: ['rules'],
    shows: { security_group_rules: [rule, ...everythingOut] },
    changedBy: `PATCH ${one('security_groups', 'group_id', 'v2')}`,
    updates: [
      { ...fieldV2('name', 'second'), noun: 'security_groups' },
      { ...fieldV2('description', 'new'), noun: 'security_groups' },
      {
        ...fieldV2('rules', [{ ...rule, port_range_max: 24 }]),
        noun: 'security_groups',
        shows: { security_group_rules: [{ ...rule, port_range_max: 24 }] },
      },
      {
        ...fieldV2('tags', { b: '2' }),
        noun: 'security_groups',
        shows: { tags_v2: [tag('b', '2')], metadata: [tag('b', '2')] },
      },
    ],
    times: TIMES,
    lists: ['metadata', 'security_group_rules'],
  }),
};
