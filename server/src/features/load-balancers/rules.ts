import type { Faults } from '../../kernel/faults.ts';
import { FLAVORS, flavorNamed } from './flavors.ts';
import { checkListener, poolRule } from './listeners/rules.ts';
import type { ListenerInput } from './listeners/schema.ts';
import { checkPool } from './pools/rules.ts';
import type { CreateLoadBalancer } from './schema.ts';
import { NO_IPV4 } from './vip.ts';

/** What schemas cannot say of a load balancer: how its parts must fit together. */

/** Adds every fault of the body, by the path of its field. */
export function checkLoadBalancer(input: Partial<CreateLoadBalancer>, faults: Faults): void {
  if (input.flavor !== undefined && !flavorNamed(input.flavor)) {
    faults.add('flavor', `must be one of: ${FLAVORS.map(({ name }) => name).join(', ')}`);
  }
  if (input.floating_ip && input.vip_ip_family === 'ipv6') faults.add('floating_ip', NO_IPV4);
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

/** The pools that come with a listener. */
function checkOwnPool({ protocol, pools }: ListenerInput, at: string, faults: Faults): void {
  pools?.forEach((pool, index) => {
    const rule = poolRule(pool.protocol, protocol);
    if (rule) faults.add(`${at}pools.${index}.protocol`, rule);
    checkPool(pool, `${at}pools.${index}.`, faults);
  });
}
