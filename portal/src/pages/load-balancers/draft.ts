import type { Schemas } from '../../api/client.ts';
import type { Topology } from '../../pictures/topology-layout.ts';
import { referTo, terraform } from '../../ui/terraform.ts';
import { given } from '../../ui/values.ts';

export type Protocol = 'HTTP' | 'TCP' | 'UDP' | 'TERMINATED_HTTPS';

export interface DraftMember {
  readonly key: number;
  readonly address: string;
  readonly port: number | string;
}

export interface DraftListener {
  readonly key: number;
  readonly protocol: Protocol;
  readonly port: number | string;
  readonly secretId: string;
  readonly algorithm: Schemas['Pool']['lb_algorithm'];
  readonly members: readonly DraftMember[];
  readonly checkPath: string;
}

/** What the wizard has so far. */
export interface Draft {
  readonly name: string;
  readonly flavor: string;
  /** The subnet of its address; empty: the address is external. */
  readonly subnet: string;
  readonly floating: boolean;
  readonly listeners: readonly DraftListener[];
}

const POOL_PROTOCOL = { HTTP: 'HTTP', TERMINATED_HTTPS: 'HTTP', TCP: 'TCP', UDP: 'UDP' } as const;

const isHttp = (protocol: Protocol) => POOL_PROTOCOL[protocol] === 'HTTP';

/** The body of the call that creates it. */
export function bodyOf(draft: Draft): Schemas['CreateLoadBalancer'] {
  const { name, flavor, subnet, floating, listeners } = draft;
  return {
    name,
    ...given({
      flavor,
      vip_subnet_id: subnet,
      floating_ip: floating ? { source: 'new' as const } : undefined,
    }),
    listeners: listeners.map((listener) => ({
      name: listenerName(listener),
      protocol: listener.protocol,
      protocol_port: Number(listener.port),
      ...(listener.protocol === 'TERMINATED_HTTPS' && listener.secretId
        ? { secret_id: listener.secretId }
        : {}),
      pools: [poolOf(listener)],
    })),
  };
}

const listenerName = ({ protocol, port }: DraftListener) =>
  `${protocol.replace('TERMINATED_', '').toLowerCase()}-${port}`;

type DraftPool = NonNullable<
  NonNullable<Schemas['CreateLoadBalancer']['listeners']>[number]['pools']
>[number];

interface Where {
  readonly project: number;
  readonly region: number;
}

function poolOf(listener: DraftListener): DraftPool {
  const { protocol, algorithm, members, checkPath } = listener;
  return {
    name: `${listenerName(listener)}-pool`,
    protocol: POOL_PROTOCOL[protocol],
    lb_algorithm: algorithm,
    members: members
      .filter(({ address }) => address !== '')
      .map(({ address, port }) => ({ address, protocol_port: Number(port) })),
    healthmonitor: isHttp(protocol)
      ? { type: 'HTTP', delay: 5, timeout: 3, max_retries: 2, url_path: checkPath || '/' }
      : { type: protocol === 'UDP' ? 'UDP-CONNECT' : 'TCP', delay: 5, timeout: 3, max_retries: 2 },
  };
}

/** The picture of what will be. */
export function draftTopology({ name, floating, listeners }: Draft): Topology {
  const status = 'NO_MONITOR';
  const address = floating ? 'A new floating IP' : 'A new address';
  const pool = (key: number) => `pool ${key}`;
  return {
    nodes: [
      { id: 'lb', column: 0, title: address, detail: name || 'without a name yet', status },
      ...listeners.flatMap((listener) => [
        {
          id: `listener ${listener.key}`,
          column: 1,
          title: `${listener.protocol.replace('TERMINATED_', '')} :${listener.port}`,
          detail: 'listener',
          status,
        },
        {
          id: pool(listener.key),
          column: 3,
          title: `${listenerName(listener)}-pool`,
          detail: listener.algorithm.replaceAll('_', ' ').toLowerCase(),
          status,
        },
        ...listener.members
          .filter(({ address }) => address !== '')
          .map(({ key, address, port }) => ({
            id: `member ${listener.key} ${key}`,
            column: 4,
            title: `${address}:${port}`,
            detail: 'member',
            status,
          })),
      ]),
    ],
    edges: listeners.flatMap(({ key, members }) => [
      { from: 'lb', to: `listener ${key}`, status, share: 0 },
      { from: `listener ${key}`, to: pool(key), status, share: 0 },
      ...members
        .filter(({ address }) => address !== '')
        .map((member) => ({ from: pool(key), to: `member ${key} ${member.key}`, status, share: 0 })),
    ]),
  };
}

/** The same for the infrastructure tool, which keeps each part apart. */
export function terraformOf(body: Schemas['CreateLoadBalancer'], scope: Where): string {
  const { listeners = [], ...balancer } = body;
  const parts = listeners.flatMap(({ pools = [], ...listener }) => [
    terraform('gcore_lblistener', listener.name, scope, { ...listener, loadbalancer_id: BALANCER }),
    ...pools.flatMap((pool) => poolParts(pool, listener.name, scope)),
  ]);
  return [terraform('gcore_loadbalancerv2', 'lb', scope, { ...balancer }), ...parts].join('\n\n');
}

const BALANCER = referTo('gcore_loadbalancerv2', 'lb');

function poolParts({ members = [], ...pool }: DraftPool, listener: string, scope: Where): readonly string[] {
  return [
    terraform('gcore_lbpool', pool.name, scope, {
      ...pool,
      loadbalancer_id: BALANCER,
      listener_id: referTo('gcore_lblistener', listener),
    }),
    ...members.map((member, index) =>
      terraform('gcore_lbmember', `${pool.name}-${index + 1}`, scope, {
        ...member,
        pool_id: referTo('gcore_lbpool', pool.name),
      }),
    ),
  ];
}
