import { randomUUID } from 'node:crypto';
import type {
  DesiredAccessLog,
  DesiredHealthMonitor,
  DesiredListener,
  DesiredLoadBalancer,
  DesiredMember,
  DesiredPool,
} from '../../../../features/load-balancers/port.ts';

/** Builders for tests: what is not said is what a user gets who says nothing. */

const NO_TIMEOUTS = { clientData: null, memberConnect: null, memberData: null };

export function member(port: number, change: Partial<DesiredMember> = {}): DesiredMember {
  return {
    id: randomUUID(),
    address: '127.0.0.1',
    port,
    adminStateUp: true,
    backup: false,
    weight: 1,
    monitorAddress: null,
    monitorPort: null,
    ...change,
  };
}

export function pool(change: Partial<DesiredPool> = {}): DesiredPool {
  return {
    id: randomUUID(),
    adminStateUp: true,
    protocol: 'HTTP',
    algorithm: 'ROUND_ROBIN',
    timeoutsMs: NO_TIMEOUTS,
    tunnelMs: null,
    memberHttpVersion: '1.1',
    sessionPersistence: null,
    members: [],
    healthMonitor: null,
    tls: null,
    ...change,
  };
}

export function monitor(change: Partial<DesiredHealthMonitor> = {}): DesiredHealthMonitor {
  return {
    id: randomUUID(),
    adminStateUp: true,
    type: 'HTTP',
    delay: 1,
    timeout: 1,
    maxRetries: 1,
    maxRetriesDown: 1,
    httpMethod: null,
    httpVersion: null,
    urlPath: null,
    domainName: null,
    expectedCodes: null,
    ...change,
  };
}

export function listener(change: Partial<DesiredListener> = {}): DesiredListener {
  return {
    id: randomUUID(),
    adminStateUp: true,
    protocol: 'HTTP',
    port: 8080,
    defaultPoolId: null,
    allowedCidrs: null,
    connectionLimit: 100_000,
    timeoutsMs: NO_TIMEOUTS,
    insertXForwarded: false,
    normalizePath: true,
    basicAuth: [],
    certificates: [],
    clientAuthorities: null,
    l7Policies: [],
    ...change,
  };
}

export function accessLog(change: Partial<DesiredAccessLog> = {}): DesiredAccessLog {
  return { topic: 'web', loadBalancerName: 'shop', destinationRegionId: 1, retentionDays: null, ...change };
}

export function loadBalancer(change: Partial<DesiredLoadBalancer> = {}): DesiredLoadBalancer {
  return {
    id: randomUUID(),
    version: 1,
    adminStateUp: true,
    vipAddress: '127.0.0.1',
    extraAddresses: [],
    flavor: { name: 'lb1-1-2', vcpus: 1, ramMiB: 2048 },
    listeners: [],
    pools: [],
    accessLog: null,
    ...change,
  };
}
