import type { ManagedListener } from '../../load-balancers/index.ts';
import type { ClusterService, ServiceNode } from '../port.ts';

/** What a service asks of its load balancer. Pure. */

/** Each port is a listener. Members are the nodes, at the port that the service has on each of them; with
 *  `externalTrafficPolicy: Local` a node says by itself whether it has pods. */
export function listenersOf(service: ClusterService, nodes: readonly ServiceNode[]): ManagedListener[] {
  const members = membersAmong(nodes);
  return service.ports.map(({ protocol, port, nodePort }) => ({
    protocol,
    port,
    allowedCidrs: service.sourceRanges.length > 0 ? service.sourceRanges : null,
    algorithm: service.staysWithClient ? 'SOURCE_IP' : 'ROUND_ROBIN',
    members: members.map(({ address }) => ({ address, port: nodePort })),
    healthPort: service.healthPort,
  }));
}

/** Nodes that are about to leave get no new traffic, unless there are no others. */
function membersAmong(nodes: readonly ServiceNode[]): readonly ServiceNode[] {
  const ready = nodes.filter(({ isReady }) => isReady);
  const staying = ready.filter(({ isLeaving }) => !isLeaving);
  return staying.length > 0 ? staying : ready;
}
