import type { Faults } from './faults.ts';
import { FLAVORS, flavorNamed } from './flavors.ts';
import type { ListenerInput } from './listeners/schema.ts';
import { checkHealthMonitor, checkPersistence } from './pool-rules.ts';
import type { PoolInput } from './pools/schema.ts';
import type { ListenerProtocol, PoolProtocol } from './port.ts';
import type { CreateLoadBalancer } from './schema-input.ts';
import { checkPoolSecrets } from './secret-uses.ts';

/** What schemas cannot say: how the parts of a load balancer must fit together. */

/** Which protocols a listener's pool may speak. */
export const POOL_PROTOCOLS: Readonly<Record<ListenerProtocol, readonly PoolProtocol[]>> = {
  HTTP: ['HTTP', 'PROXY', 'PROXYV2'],
  TERMINATED_HTTPS: ['HTTP', 'PROXY', 'PROXYV2'],
  HTTPS: ['HTTPS', 'TCP', 'PROXY', 'PROXYV2'],
  TCP: ['TCP', 'HTTP', 'HTTPS', 'PROXY', 'PROXYV2'],
  UDP: ['UDP'],
  PROMETHEUS: [],
};

const READS_HTTP: ReadonlySet<ListenerProtocol> = new Set(['HTTP', 'TERMINATED_HTTPS']);

/** Adds every fault of the body, by the path of its field. */
export function checkLoadBalancer(input: CreateLoadBalancer, faults: Faults): void {
  if (input.flavor !== undefined && !flavorNamed(input.flavor)) {
    faults.add('flavor', `must be one of: ${FLAVORS.map(({ name }) => name).join(', ')}`);
  }
  if (input.vip_ip_family === 'dual')
    faults.add('vip_ip_family', 'dual is not available; choose ipv4 or ipv6');
  if (input.vip_port_id !== undefined && input.vip_network_id !== undefined) {
    faults.add('vip_port_id', 'cannot be given together with vip_network_id');
  }
  if (input.vip_port_id !== undefined && input.vip_subnet_id !== undefined) {
    faults.add('vip_port_id', 'cannot be given together with vip_subnet_id');
  }
  const listeners = input.listeners ?? [];
  checkPorts(listeners, faults);
  listeners.forEach((listener, index) => {
    checkListener(listener, `listeners.${index}.`, faults);
    checkOwnPool(listener, `listeners.${index}.`, faults);
  });
}

/** Only UDP has ports of its own; every other protocol runs over TCP. */
function checkPorts(listeners: readonly ListenerInput[], faults: Faults): void {
  const seen = new Set<string>();
  listeners.forEach(({ protocol, protocol_port }, index) => {
    const key = `${protocol === 'UDP' ? 'UDP' : 'TCP'} ${protocol_port}`;
    if (seen.has(key)) {
      faults.add(
        `listeners.${index}.protocol_port`,
        `port ${protocol_port} is used by another listener of this body`,
      );
    }
    seen.add(key);
  });
}

/** @param at what the paths of its fields begin with: nothing, or a path that ends in a dot */
export function checkListener(listener: ListenerInput, at: string, faults: Faults): void {
  const { protocol } = listener;
  if (protocol === 'TERMINATED_HTTPS') {
    if (!listener.secret_id) faults.add(`${at}secret_id`, 'is required for TERMINATED_HTTPS');
  } else {
    if (listener.secret_id) faults.add(`${at}secret_id`, 'is for TERMINATED_HTTPS only');
    if (listener.sni_secret_id?.length) faults.add(`${at}sni_secret_id`, 'is for TERMINATED_HTTPS only');
  }
  if (listener.insert_x_forwarded && !READS_HTTP.has(protocol)) {
    faults.add(`${at}insert_x_forwarded`, 'is for HTTP and TERMINATED_HTTPS only');
  }
  checkUsers(listener, at, faults);
}

/** The pools that come with a listener. */
function checkOwnPool({ protocol, pools }: ListenerInput, at: string, faults: Faults): void {
  pools?.forEach((pool, index) => {
    const rule = poolRule(pool.protocol, protocol);
    if (rule) faults.add(`${at}pools.${index}.protocol`, rule);
    checkPool(pool, `${at}pools.${index}.`, faults);
  });
}

function checkUsers(listener: ListenerInput, at: string, faults: Faults): void {
  const users = listener.user_list ?? [];
  if (users.length > 0 && !READS_HTTP.has(listener.protocol)) {
    faults.add(`${at}user_list`, 'is for HTTP and TERMINATED_HTTPS only');
  }
  const names = new Set<string>();
  users.forEach(({ username, encrypted_password }, index) => {
    if (names.has(username))
      faults.add(`${at}user_list.${index}.username`, 'is used by another user of this list');
    names.add(username);
    if (!/^[!-~]+$/.test(encrypted_password)) {
      faults.add(`${at}user_list.${index}.encrypted_password`, 'must be a crypt(3) hash without white space');
    }
  });
}

/** Why a pool cannot be behind a listener, or undefined. */
export function poolRule(pool: PoolProtocol, listener: ListenerProtocol): string | undefined {
  const fitting = POOL_PROTOCOLS[listener];
  if (fitting.includes(pool)) return undefined;
  const rule = fitting.length > 0 ? `must be ${fitting.join(', ')}` : 'no pool is possible';
  return `${rule} behind a listener of protocol ${listener}`;
}

export function checkPool(pool: PoolInput, at: string, faults: Faults): void {
  const seen = new Set<string>();
  pool.members?.forEach(({ address, protocol_port }, index) => {
    const key = `${address.toLowerCase()} ${protocol_port}`;
    if (seen.has(key)) {
      faults.add(
        `${at}members.${index}.protocol_port`,
        `${address} port ${protocol_port} is a member already`,
      );
    }
    seen.add(key);
  });
  checkPersistence(pool, at, faults);
  checkPoolSecrets(pool, pool.protocol, at, faults);
  if (pool.healthmonitor)
    checkHealthMonitor(pool.healthmonitor, pool.protocol, `${at}healthmonitor.`, faults);
}
