import { expect } from 'vitest';
import { type Json, OFFSET, type Update } from './life-cycle.ts';
import { type Cycles, field, fieldV2, retag, scoped, tag } from './scene.ts';

const one = (noun: string, id: string, version = 'v1') =>
  `/cloud/${version}/${noun}/{project_id}/{region_id}/{${id}}`;
const TIMEOUTS = ['timeout_client_data', 'timeout_member_connect', 'timeout_member_data'] as const;
const timeouts = TIMEOUTS.map((name, index) => fieldV2(name, 10_000 * (index + 1)));
/** Off, and on again. */
const switched: readonly Update[] = [
  { ...fieldV2('admin_state_up', false), shows: { admin_state_up: false, operating_status: 'OFFLINE' } },
  { ...fieldV2('admin_state_up', true), shows: { admin_state_up: true, operating_status: 'ONLINE' } },
];
const LOGGING = {
  enabled: true,
  destination_region_id: 2,
  topic_name: 'tool',
  retention_policy: { period: 7 },
};
/** Every change of a policy says its action; what belongs to the action and is not said becomes the default. */
const redirect = (change: Json, shows = change): Update => ({
  method: 'PATCH',
  body: { action: 'REDIRECT_TO_URL', redirect_url: 'https://b.test', ...change },
  shows,
});

const USERS = [
  { username: 'one', encrypted_password: '$5$abcdefgh$Wyqo4ZsYAJ1NjRBEyJ6N2x0m9Gq3h3k1fJt0V0Qe6v8' },
];

const listenerFields = (secret: string): readonly Update[] => [
  fieldV2('name', 'second'),
  ...switched,
  fieldV2('allowed_cidrs', ['10.1.0.0/16']),
  fieldV2('allowed_cidrs', null),
  fieldV2('connection_limit', 100),
  fieldV2('secret_id', secret),
  fieldV2('sni_secret_id', [secret]),
  fieldV2('sni_secret_id', []),
  fieldV2('user_list', USERS),
  ...timeouts,
];

const MONITOR = { type: 'TCP', delay: 10, timeout: 5, max_retries: 3 };

const poolFields = (secret: string): readonly Update[] => [
  fieldV2('name', 'second'),
  ...switched,
  fieldV2('lb_algorithm', 'SOURCE_IP'),
  {
    ...fieldV2('members', [{ address: '10.0.0.7', protocol_port: 80, weight: 2 }]),
    shows: {
      members: [{ address: '10.0.0.7', protocol_port: 80, weight: 2 }],
      operating_status: 'NO_MONITOR',
    },
  },
  {
    ...fieldV2('healthmonitor', MONITOR),
    shows: {
      healthmonitor: MONITOR,
      operating_status: 'ONLINE',
      members: [{ operating_status: 'ONLINE' }],
    },
  },
  {
    method: 'PATCH',
    path: '/healthmonitor',
    body: { delay: 20 },
    shows: { healthmonitor: { ...MONITOR, delay: 20 } },
  },
  fieldV2('session_persistence', { type: 'SOURCE_IP' }),
  fieldV2('session_persistence', null),
  fieldV2('secret_id', secret),
  fieldV2('ca_secret_id', secret),
  fieldV2('secret_id', null),
  fieldV2('ca_secret_id', null),
  ...timeouts,
];

export const BALANCING: Cycles = {
  'load balancer': () => ({
    path: scoped('loadbalancers'),
    body: { name: 'first', flavor: 'lb1-1-2', tags: { a: '1' } },
    kind: 'loadbalancers',
    unread: ['flavor', 'tags'],
    shows: { flavor: { flavor_name: 'lb1-1-2' }, metadata: [tag('a', '1')] },
    changedBy: `PATCH ${one('loadbalancers', 'load_balancer_id', 'v2')}`,
    updates: [
      fieldV2('name', 'second'),
      ...switched,
      fieldV2('logging', LOGGING),
      fieldV2('preferred_connectivity', 'L3'),
      retag('v2', { metadata: [tag('b', '2')], tags_v2: [tag('b', '2')] }),
      {
        method: 'POST',
        path: '/resize',
        body: { flavor: 'lb1-2-4' },
        shows: { flavor: { flavor_name: 'lb1-2-4' } },
      },
    ],
    older: {
      body: { name: 'first', flavor: 'lb1-1-2', metadata: { a: '1' }, listeners: [], vip_network_id: '' },
      unread: ['flavor', 'metadata', 'vip_network_id'],
      updates: [field('name', 'second')],
    },
    times: { created_at: OFFSET },
    lists: ['listeners', 'metadata', 'floating_ips'],
  }),
  listener: ({ balancer, secrets: [secret, other] }) => ({
    path: scoped('lblisteners'),
    body: {
      name: 'first',
      protocol: 'TERMINATED_HTTPS',
      protocol_port: 443,
      load_balancer_id: balancer,
      insert_x_forwarded: true,
      secret_id: secret,
      allowed_cidrs: ['10.0.0.0/8'],
      connection_limit: 50,
    },
    kind: 'listeners',
    unread: ['insert_x_forwarded'],
    shows: { insert_headers: expect.anything() },
    older: {
      body: {
        name: 'first',
        protocol: 'TCP',
        protocol_port: 90,
        loadbalancer_id: balancer,
        secret_id: '',
        sni_secret_id: [],
        allowed_cidrs: ['10.0.0.0/8'],
        insert_x_forwarded: false,
      },
      unread: ['loadbalancer_id', 'secret_id', 'insert_x_forwarded'],
      shows: { load_balancer_id: balancer, secret_id: null },
      updates: [field('name', 'second')],
    },
    times: {},
    lists: ['sni_secret_id', 'user_list'],
    changedBy: `PATCH ${one('lblisteners', 'listener_id', 'v2')}`,
    left: { normalize_path: 'is no field of the tool' },
    updates: listenerFields(other),
  }),
  pool: ({ balancer, secrets: [secret] }) => ({
    path: scoped('lbpools'),
    body: { name: 'first', protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN', load_balancer_id: balancer },
    kind: 'pools',
    unread: ['load_balancer_id'],
    shows: { loadbalancers: [{ id: balancer }], members: [], healthmonitor: null },
    older: {
      body: {
        name: 'first',
        protocol: 'TCP',
        lb_algorithm: 'ROUND_ROBIN',
        loadbalancer_id: balancer,
        listener_id: '',
        timeout_client_data: 0,
        timeout_member_data: 0,
        timeout_member_connect: 0,
      },
      unread: ['loadbalancer_id', 'listener_id'],
      updates: [
        field('name', 'second'),
        field('lb_algorithm', 'SOURCE_IP'),
        field('healthmonitor', { type: 'TCP', delay: 10, timeout: 5, max_retries: 3 }),
        field('session_persistence', { type: 'SOURCE_IP' }),
        field('session_persistence', null),
      ],
    },
    changedBy: `PATCH ${one('lbpools', 'pool_id', 'v2')}`,
    left: {
      protocol: 'depends on the listener; see the tests of pools',
      timeout_tunnel: 'is no field of the tool',
      member_http_version: 'is no field of the tool',
      crl_secret_id: 'needs a list of revoked certificates; see the tests of pools',
    },
    updates: poolFields(secret),
    times: {},
    lists: ['listeners', 'members'],
  }),
  'L7 policy': ({ listener }) => ({
    path: scoped('l7policies'),
    body: { name: 'first', action: 'REDIRECT_TO_URL', redirect_url: 'https://b.test', listener_id: listener },
    kind: 'l7polices',
    changedBy: `PATCH ${one('l7policies', 'l7policy_id')}`,
    left: {
      redirect_prefix: 'belongs to another action: see the policy that redirects to a prefix',
      redirect_pool_id: 'belongs to another action: see the policy that redirects to a pool',
    },
    updates: [
      redirect({ name: 'second' }),
      redirect({ tags: ['b'] }),
      redirect({ position: 1 }),
      redirect({ redirect_http_code: 307 }),
      redirect(
        { redirect_url: 'https://c.test' },
        { redirect_url: 'https://c.test', redirect_http_code: 302 },
      ),
    ],
    times: {},
    lists: ['rules', 'tags'],
  }),
  'L7 policy that redirects to a pool': ({ listener, pool }) => ({
    path: scoped('l7policies'),
    body: { name: 'first', action: 'REDIRECT_TO_URL', redirect_url: 'https://b.test', listener_id: listener },
    kind: 'l7polices',
    updates: [
      {
        method: 'PATCH',
        body: { action: 'REDIRECT_TO_POOL', redirect_pool_id: pool },
        shows: {
          action: 'REDIRECT_TO_POOL',
          redirect_pool_id: pool,
          redirect_url: null,
          redirect_http_code: null,
        },
      },
      {
        method: 'PATCH',
        body: { action: 'REDIRECT_PREFIX', redirect_prefix: 'https://d.test' },
        shows: {
          action: 'REDIRECT_PREFIX',
          redirect_prefix: 'https://d.test',
          redirect_pool_id: null,
          redirect_http_code: 302,
        },
      },
    ],
    times: {},
  }),
  'L7 rule': ({ policy }) => ({
    path: `${scoped('l7policies')}/${policy}/rules`,
    body: { type: 'HEADER', compare_type: 'STARTS_WITH', key: 'X-One', value: 'a' },
    kind: 'l7rules',
    changedBy: `PUT ${one('l7policies', 'l7policy_id')}/rules/{l7rule_id}`,
    left: { type: 'with another type goes another key: both are changed at once' },
    updates: [
      ...[
        { value: 'b' },
        { compare_type: 'CONTAINS' },
        { key: 'X-Two' },
        { invert: true },
        { tags: ['b'] },
      ].map((body): Update => ({ method: 'PUT', body, shows: body })),
    ],
    times: {},
  }),
};
