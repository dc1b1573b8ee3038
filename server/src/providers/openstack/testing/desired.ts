import type {
  DesiredL7Policy,
  DesiredL7Rule,
  DesiredListener,
  DesiredLoadBalancer,
  DesiredMember,
  DesiredPool,
} from '../../../features/load-balancers/port.ts';

/** Desired states for tests, with everything that is not named as plain as can be. */

const NO_TIMEOUTS = { clientData: null, memberConnect: null, memberData: null };

export const desiredMember = (more: Partial<DesiredMember> = {}): DesiredMember => ({
  id: '33333333-3333-4333-8333-333333333331',
  address: '10.78.1.1',
  port: 8080,
  adminStateUp: true,
  backup: false,
  weight: 1,
  monitorAddress: null,
  monitorPort: null,
  ...more,
});

export const desiredPool = (more: Partial<DesiredPool> = {}): DesiredPool => ({
  id: '22222222-2222-4222-8222-222222222222',
  adminStateUp: true,
  protocol: 'HTTP',
  algorithm: 'ROUND_ROBIN',
  timeoutsMs: NO_TIMEOUTS,
  tunnelMs: null,
  memberHttpVersion: '1.1',
  sessionPersistence: null,
  members: [desiredMember()],
  healthMonitor: null,
  tls: null,
  ...more,
});

export const desiredListener = (more: Partial<DesiredListener> = {}): DesiredListener => ({
  id: '11111111-1111-4111-8111-111111111112',
  adminStateUp: true,
  protocol: 'HTTP',
  port: 80,
  defaultPoolId: '22222222-2222-4222-8222-222222222222',
  allowedCidrs: null,
  connectionLimit: -1,
  timeoutsMs: NO_TIMEOUTS,
  insertXForwarded: false,
  normalizePath: false,
  basicAuth: [],
  certificates: [],
  clientAuthorities: null,
  l7Policies: [],
  ...more,
});

export const desiredLoadBalancer = (more: Partial<DesiredLoadBalancer> = {}): DesiredLoadBalancer => ({
  id: '11111111-1111-4111-8111-111111111111',
  version: 1,
  adminStateUp: true,
  vipAddress: '10.78.9.9',
  extraAddresses: [],
  flavor: { name: 'lb1-1-2', vcpus: 1, ramMiB: 2048 },
  listeners: [desiredListener()],
  pools: [desiredPool()],
  accessLog: null,
  ...more,
});

export const desiredRule = (more: Partial<DesiredL7Rule> = {}): DesiredL7Rule => ({
  id: '66666666-6666-4666-8666-666666666666',
  type: 'HOST_NAME',
  compareType: 'EQUAL_TO',
  key: null,
  value: 'example.com',
  invert: false,
  ...more,
});

export const desiredPolicy = (more: Partial<DesiredL7Policy> = {}): DesiredL7Policy => ({
  id: '55555555-5555-4555-8555-555555555555',
  action: 'REJECT',
  redirectUrl: null,
  redirectPrefix: null,
  redirectPoolId: null,
  redirectHttpCode: null,
  rules: [desiredRule()],
  ...more,
});
