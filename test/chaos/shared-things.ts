/** What callers do to things that all of them share. */

const V1 = '/cloud/v1';
const V2 = '/cloud/v2';
const SCOPE = '1/2';

interface Kind {
  readonly path: string;
  /** What tasks call it. */
  readonly created: string;
  /** The field of its lists that its own path ends with. */
  readonly key: string;
}

const kind = (noun: string, created = noun, version = V1, key = 'id'): Kind => ({
  path: `${version}/${noun}/${SCOPE}`,
  created,
  key,
});

/** In the order in which they can be deleted, so that nothing is in the way of what comes later. */
export const KINDS = {
  clusters: kind('k8s/clusters', 'k8s_clusters', V2, 'name'),
  instances: kind('instances'),
  loadbalancers: kind('loadbalancers'),
  floatingips: kind('floatingips'),
  reserved: kind('reserved_fixed_ips', 'ports', V1, 'port_id'),
  snapshots: kind('snapshots'),
  volumes: kind('volumes'),
  routers: kind('routers'),
  listeners: kind('lblisteners', 'listeners'),
  pools: kind('lbpools', 'pools'),
  subnets: kind('subnets'),
  networks: kind('networks'),
  groups: kind('securitygroups', 'security_groups'),
} as const satisfies Record<string, Kind>;
export type KindName = keyof typeof KINDS;

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
  /** What it makes, or undefined. */
  readonly makes?: KindName | undefined;
  readonly deletes?: readonly [KindName, string] | undefined;
}

/** What there is, as far as callers know, and the choices of one of them. */
export class World {
  readonly #there: ReadonlyMap<KindName, Set<string>>;
  readonly #random: () => number;
  readonly imageId: string;

  constructor(there: ReadonlyMap<KindName, Set<string>>, random: () => number, imageId: string) {
    this.#there = there;
    this.#random = random;
    this.imageId = imageId;
  }

  /** @returns one of them, whoever made it; undefined when there is none */
  some(name: KindName): string | undefined {
    return this.one([...(this.#there.get(name) ?? [])]);
  }

  one<T>(from: readonly T[]): T | undefined {
    return from[this.below(from.length)];
  }

  below(end: number): number {
    return Math.floor(this.#random() * end);
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }
}

type Choice = (world: World) => Call | undefined;

const at = (name: KindName, id: string) => `${KINDS[name].path}/${id}`;

/** Makes something. @param bodyOf undefined where what it needs is not there */
const making =
  (makes: KindName, bodyOf: (world: World) => object | undefined, path: string = KINDS[makes].path): Choice =>
  (world) => {
    const body = bodyOf(world);
    return body && { method: 'POST', path, body, makes };
  };

/** Changes one of them. */
const changing =
  (
    name: KindName,
    method: string,
    tail: string,
    bodyOf: (world: World) => object | undefined,
    version: string = V1,
  ): Choice =>
  (world) => {
    const id = world.some(name);
    const body = bodyOf(world);
    if (id === undefined || !body) return undefined;
    return { method, path: `${at(name, id)}${tail}`.replace(V1, version), body };
  };

const deleting =
  (name: KindName): Choice =>
  (world) => {
    const id = world.some(name);
    return id === undefined ? undefined : { method: 'DELETE', path: at(name, id), deletes: [name, id] };
  };

/** A body that names something that has to be there. */
const naming =
  (field: string, name: KindName, rest: object = {}) =>
  (world: World) => {
    const id = world.some(name);
    return id === undefined ? undefined : { ...rest, [field]: id };
  };

const HTTP = { name: 'web', protocol: 'HTTP' } as const;
const pool = { ...HTTP, lb_algorithm: 'ROUND_ROBIN' };
const member = (world: World) => ({ address: `10.1.1.${1 + world.below(20)}`, protocol_port: 80 });
const flavor = (world: World) => world.one(['g1-standard-1-2', 'g1-standard-2-4']);
/** Of a few small networks that overlap. */
const prefix = (world: World) => `10.${world.below(3)}.${world.below(4)}`;

function newLoadBalancer(world: World): object {
  const [subnet, reserved] = [world.some('subnets'), world.some('reserved')];
  const own = subnet && world.chance(0.6) ? { vip_subnet_id: subnet } : {};
  const vip = reserved && world.chance(0.2) ? { vip_port_id: reserved } : own;
  const listener = { ...HTTP, protocol_port: 80, pools: [{ ...pool, members: [member(world)] }] };
  return {
    name: 'shared',
    ...vip,
    ...(world.chance(0.4) ? { listeners: [listener] } : {}),
    ...(world.chance(0.2) ? { floating_ip: { source: 'new' } } : {}),
  };
}

function newInstance(world: World): object {
  const [network, subnet] = [world.some('networks'), world.some('subnets')];
  const [reserved, volume] = [world.some('reserved'), world.some('volumes')];
  const interfaces = [
    { type: 'external' },
    ...(subnet ? [{ type: 'subnet', subnet_id: subnet }] : []),
    ...(network ? [{ type: 'any_subnet', network_id: network }] : []),
    ...(reserved ? [{ type: 'reserved_fixed_ip', port_id: reserved }] : []),
  ];
  const root = { source: 'image', image_id: world.imageId, size: 10, boot_index: 0 };
  const volumes = [{ ...root, delete_on_termination: world.chance(0.5) }];
  const more = volume && world.chance(0.2) ? [{ source: 'existing-volume', volume_id: volume }] : [];
  return {
    name: 'shared',
    flavor: flavor(world),
    volumes: [...volumes, ...more],
    interfaces: [world.one(interfaces)],
  };
}

const ADDRESS: readonly ((world: World) => object | undefined)[] = [
  naming('subnet_id', 'subnets', { type: 'subnet' }),
  () => ({ type: 'external' }),
  (world) =>
    naming('network_id', 'networks', {
      type: 'ip_address',
      ip_address: `${prefix(world)}.${1 + world.below(20)}`,
    })(world),
];

const nodePool = (world: World) => ({
  name: 'pool',
  flavor_id: flavor(world),
  min_node_count: 1,
  max_node_count: 3,
});

/** How many were asked for: their names are unique. */
let clusters = 0;

const CHOICES: readonly Choice[] = [
  making('networks', (world) => ({ name: 'shared', create_router: world.chance(0.5) })),
  ...Array.from({ length: 2 }, () =>
    making('subnets', (world) =>
      naming('network_id', 'networks', {
        name: 'shared',
        cidr: `${prefix(world)}.0/${world.one([24, 28, 29])}`,
        connect_to_network_router: world.chance(0.5),
      })(world),
    ),
  ),
  making('loadbalancers', newLoadBalancer),
  making('loadbalancers', newLoadBalancer),
  making('listeners', (world) =>
    naming('load_balancer_id', 'loadbalancers', { ...HTTP, protocol_port: 80 + world.below(10) })(world),
  ),
  making('pools', naming('listener_id', 'listeners', pool)),
  making('floatingips', () => ({})),
  making('reserved', (world) => world.one(ADDRESS)?.(world)),
  making('volumes', () => ({ name: 'shared', source: 'new-volume', size: 5 })),
  making('snapshots', naming('volume_id', 'volumes', { name: 'shared' })),
  making('routers', () => ({ name: 'shared' })),
  making('instances', newInstance, `${V2}/instances/${SCOPE}`),
  making('instances', newInstance, `${V2}/instances/${SCOPE}`),
  making('groups', () => ({ name: 'shared', rules: [] }), `${V2}/security_groups/${SCOPE}`),
  making('clusters', (world) => {
    const [network, subnet] = [world.some('networks'), world.some('subnets')];
    const given = network && subnet ? { fixed_network: network, fixed_subnet: subnet } : {};
    clusters += 1;
    const name = `shared-${clusters}`;
    return { name, version: 'v1.31.11', keypair: 'operator key', pools: [nodePool(world)], ...given };
  }),
  changing('pools', 'POST', '/member', member),
  changing('floatingips', 'POST', '/assign', naming('port_id', 'reserved')),
  changing('floatingips', 'POST', '/unassign', () => ({})),
  changing('routers', 'POST', '/attach', naming('subnet_id', 'subnets')),
  changing('routers', 'POST', '/detach', naming('subnet_id', 'subnets')),
  changing('volumes', 'POST', '/attach', naming('instance_id', 'instances'), V2),
  changing('volumes', 'POST', '/detach', naming('instance_id', 'instances'), V2),
  changing('instances', 'POST', '/attach_interface', naming('subnet_id', 'subnets', { type: 'subnet' })),
  changing('instances', 'POST', '/changeflavor', (world) => ({ flavor_id: flavor(world) })),
  changing(
    'instances',
    'POST',
    '/action',
    (world) => ({ action: world.one(['stop', 'start', 'reboot', 'suspend', 'resume']) }),
    V2,
  ),
  changing('subnets', 'PATCH', '', (world) =>
    world.one([
      { name: 'changed' },
      { gateway_ip: null },
      { gateway_ip: `${prefix(world)}.${1 + world.below(5)}` },
    ]),
  ),
  changing('loadbalancers', 'PATCH', '', () => ({ name: 'changed' })),
  ...(Object.keys(KINDS) as KindName[]).filter((name) => name !== 'clusters').map(deleting),
  ...(['subnets', 'loadbalancers', 'instances'] as const).map(deleting),
];

/** What the caller does next. */
export function nextCall(world: World): Call {
  for (;;) {
    const call = world.one(CHOICES)?.(world);
    if (call) return call;
  }
}
