import { type Examples, SAMPLE, several } from '../../platform/openapi/examples.ts';

const member = { address: '192.168.10.11', protocol_port: 8080, weight: 1 };
const healthmonitor = {
  type: 'HTTP',
  delay: 5,
  timeout: 2,
  max_retries: 3,
  http_method: 'GET',
  url_path: '/healthz',
  expected_codes: '200',
};
const pool = {
  name: 'web',
  protocol: 'HTTP',
  lb_algorithm: 'ROUND_ROBIN',
  members: [member, { ...member, address: '192.168.10.12' }],
  healthmonitor,
};
const http = { name: 'http', protocol: 'HTTP', protocol_port: 80 };
const https = {
  name: 'https',
  protocol: 'TERMINATED_HTTPS',
  protocol_port: 443,
  secret_id: SAMPLE.secret,
  insert_x_forwarded: true,
};

const balancers: Examples = {
  CreateLoadBalancer: several({
    'With a listener and a pool, on the internet': {
      name: 'shop',
      flavor: 'lb1-1-2',
      listeners: [{ ...http, pools: [pool] }],
      tags: { environment: 'production' },
    },
    'In a network of its own, with a floating IP': {
      name: 'shop-internal',
      vip_network_id: SAMPLE.network,
      vip_subnet_id: SAMPLE.subnet,
      floating_ip: { source: 'new' },
    },
    'For HTTPS': {
      name: 'shop-https',
      listeners: [{ ...https, pools: [pool] }],
    },
  }),
  UpdateLoadBalancer: { name: 'shop-1', tags: { environment: 'staging' } },
  CheckLoadBalancerLimits: { floating_ip: { source: 'new' }, vip_ip_family: 'ipv4' },
  ResizeLoadBalancer: { flavor: 'lb1-2-4' },
  FailOverLoadBalancer: { force: true },
  LoadBalancerMetricsWindow: { time_interval: 6, time_unit: 'hour' },
  DdosProfileInput: {
    options: { active: true, bgp: false },
    site: 'LUX',
    status: { status: 'created', error_description: '' },
    protocols: [{ port: '443', protocols: ['HTTPS'] }],
  },
  ReadOnlyTags: { tags: { contract: 'EX-2031-114' } },
};

const parts: Examples = {
  CreateListener: several({
    HTTP: { ...http, load_balancer_id: SAMPLE.loadBalancer, allowed_cidrs: ['198.51.100.0/24'] },
    HTTPS: { ...https, load_balancer_id: SAMPLE.loadBalancer },
    TCP: { name: 'mail', protocol: 'TCP', protocol_port: 25, load_balancer_id: SAMPLE.loadBalancer },
  }),
  RenameListener: { name: 'web' },
  UpdateListener: { name: 'web', allowed_cidrs: ['198.51.100.0/24'], timeout_client_data: 30_000 },
  CreatePool: several({
    'For a listener': {
      ...pool,
      listener_id: SAMPLE.listener,
      session_persistence: { type: 'HTTP_COOKIE' },
    },
    'For policies to choose': {
      name: 'api',
      protocol: 'HTTP',
      lb_algorithm: 'LEAST_CONNECTIONS',
      load_balancer_id: SAMPLE.loadBalancer,
    },
  }),
  UpdatePool: { lb_algorithm: 'LEAST_CONNECTIONS', healthmonitor },
  CreateMember: { ...member, address: '192.168.10.13' },
  ReplaceMembers: [
    { ...member, weight: 9 },
    { ...member, address: '192.168.10.14', weight: 1 },
    { ...member, address: '192.168.10.15', backup: true },
  ],
  UpdateMember: { weight: 0 },
  CreateHealthMonitor: healthmonitor,
  PatchHealthMonitor: { delay: 10, max_retries_down: 2 },
  CreateL7Policy: several({
    'To another address': {
      name: 'to-https',
      listener_id: SAMPLE.listener,
      action: 'REDIRECT_PREFIX',
      redirect_prefix: 'https://shop.example.com',
      redirect_http_code: 301,
    },
    'To another pool': {
      name: 'api',
      listener_id: SAMPLE.listener,
      action: 'REDIRECT_TO_POOL',
      redirect_pool_id: SAMPLE.pool,
      position: 1,
    },
    Refuse: { name: 'no-admin', listener_id: SAMPLE.listener, action: 'REJECT' },
  }),
  UpdateL7Policy: { action: 'REDIRECT_TO_URL', redirect_url: 'https://shop.example.com/new' },
  CreateL7Rule: { type: 'PATH', compare_type: 'STARTS_WITH', value: '/api' },
  ReplaceL7Rule: { type: 'HOST_NAME', compare_type: 'EQUAL_TO', value: 'api.example.com' },
};

export const loadBalancerExamples: Examples = { ...balancers, ...parts };
