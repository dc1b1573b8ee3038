import type { Schemas } from '../../api/client.ts';
import type { Edge, Node, Topology } from '../../pictures/topology-layout.ts';
import { wordOf } from '../../ui/badge.tsx';
import { drawn } from './drawn.ts';

/** Everything that the picture of a load balancer is drawn from. */
export interface Parts {
  readonly lb: Pick<Schemas['LoadBalancer'], 'id' | 'name' | 'vip_address' | 'operating_status'>;
  readonly listeners: readonly Schemas['Listener'][];
  readonly policies: readonly Schemas['L7Policy'][];
  readonly pools: readonly Schemas['Pool'][];
  /** The address of the page of a part. */
  readonly hrefOf?: (part: string, id: string) => string;
}

const ACTIONS: Readonly<Record<Schemas['L7Policy']['action'], string>> = {
  REDIRECT_PREFIX: 'Redirect to a prefix',
  REDIRECT_TO_POOL: 'To another pool',
  REDIRECT_TO_URL: 'Redirect to a URL',
  REJECT: 'Reject',
};

const ALGORITHMS: Readonly<Record<Schemas['Pool']['lb_algorithm'], string>> = {
  LEAST_CONNECTIONS: 'Least connections',
  ROUND_ROBIN: 'Round robin',
  SOURCE_IP: 'By source address',
};

/** Address → listeners → policies → pools → members, as a request goes. */
export function topologyOf({ lb, listeners, policies, pools, hrefOf }: Parts): Topology {
  const nodes: Node[] = [
    {
      id: lb.id,
      column: 0,
      title: lb.vip_address ?? 'No address yet',
      detail: lb.name,
      status: lb.operating_status,
    },
  ];
  const edges: Edge[] = [];
  const share = shareOf(listeners);
  for (const listener of listeners.toSorted((a, b) => a.protocol_port - b.protocol_port)) {
    nodes.push({
      id: listener.id,
      column: 1,
      title: `${listener.protocol.replace('TERMINATED_', '')} :${listener.protocol_port}`,
      detail: listener.name,
      status: listener.operating_status,
      href: hrefOf?.('listeners', listener.id),
    });
    edges.push({ from: lb.id, to: listener.id, status: listener.operating_status, share: share(listener) });
  }
  for (const listener of listeners) {
    const its = policies.filter(({ listener_id }) => listener_id === listener.id);
    const { shown, rest } = drawn(its.toSorted((a, b) => a.position - b.position));
    for (const policy of shown) addPolicy(policy, nodes, edges);
    if (rest.length === 0) continue;
    const from = addRest(listener.id, rest, { column: 2, share: 0 }, nodes, edges);
    for (const to of new Set(rest.flatMap(({ redirect_pool_id }) => redirect_pool_id ?? [])))
      edges.push({ from, to, status: 'ONLINE', share: 0 });
  }
  for (const pool of pools) addPool(pool, listeners, share, nodes, edges, hrefOf);
  return { nodes, edges };
}

/** @returns the id of the node that stands for the rest */
function addRest(
  of: string,
  rest: readonly { readonly operating_status: string }[],
  { column, share }: { readonly column: number; readonly share: number },
  nodes: Node[],
  edges: Edge[],
): string {
  const counts = new Map<string, number>();
  for (const { operating_status: status } of rest) counts.set(status, (counts.get(status) ?? 0) + 1);
  const [status = ''] = counts.size === 1 ? counts.keys() : ['DEGRADED'];
  const detail = [...counts].map(([each, count]) => `${count} ${wordOf(each).toLowerCase()}`).join(', ');
  const id = `${of} rest`;
  nodes.push({ id, column, title: `${rest.length} more`, detail, status });
  edges.push({ from: of, to: id, status, share });
  return id;
}

function addPolicy(policy: Schemas['L7Policy'], nodes: Node[], edges: Edge[]): void {
  nodes.push({
    id: policy.id,
    column: 2,
    title: policy.name || `Policy ${policy.position}`,
    detail: ACTIONS[policy.action],
    status: policy.operating_status,
  });
  edges.push({ from: policy.listener_id, to: policy.id, status: policy.operating_status, share: 0 });
  if (policy.redirect_pool_id)
    edges.push({ from: policy.id, to: policy.redirect_pool_id, status: policy.operating_status, share: 0 });
}

function addPool(
  pool: Schemas['Pool'],
  listeners: readonly Schemas['Listener'][],
  share: (listener: Schemas['Listener']) => number,
  nodes: Node[],
  edges: Edge[],
  hrefOf: Parts['hrefOf'],
): void {
  nodes.push({
    id: pool.id,
    column: 3,
    title: pool.name,
    detail: ALGORITHMS[pool.lb_algorithm],
    status: pool.operating_status,
    href: hrefOf?.('pools', pool.id),
  });
  const before = listeners.filter(({ id }) => pool.listeners.some((one) => one.id === id));
  for (const listener of before)
    edges.push({ from: listener.id, to: pool.id, status: pool.operating_status, share: share(listener) });
  const all = before.reduce((sum, listener) => sum + share(listener), 0);
  const weights = pool.members.filter(getsTraffic).reduce((sum, { weight }) => sum + weight, 0);
  const shareOfMember = (member: Member) =>
    getsTraffic(member) && weights > 0 ? (all * member.weight) / weights : 0;
  const { shown, rest } = drawn(pool.members);
  for (const member of shown) {
    const status = member.admin_state_up ? member.operating_status : 'SHUTOFF';
    nodes.push({
      id: member.id,
      column: 4,
      title: `${member.address}:${member.protocol_port}`,
      detail: [`weight ${member.weight}`, member.backup ? 'backup' : ''].filter(Boolean).join(', '),
      status,
    });
    edges.push({ from: pool.id, to: member.id, status, share: shareOfMember(member) });
  }
  const ofRest = rest.reduce((sum, member) => sum + shareOfMember(member), 0);
  if (rest.length > 0) addRest(pool.id, rest, { column: 4, share: ofRest }, nodes, edges);
}

type Member = Schemas['Pool']['members'][number];

const getsTraffic = (member: Member) =>
  member.admin_state_up && !member.backup && !['ERROR', 'OFFLINE'].includes(member.operating_status);

/** Each listener's share of all bytes that were carried. */
function shareOf(listeners: readonly Schemas['Listener'][]): (listener: Schemas['Listener']) => number {
  const bytes = ({ stats }: Schemas['Listener']) => (stats ? stats.bytes_in + stats.bytes_out : 0);
  const total = listeners.reduce((sum, listener) => sum + bytes(listener), 0);
  return (listener) => (total > 0 ? bytes(listener) / total : 0);
}
