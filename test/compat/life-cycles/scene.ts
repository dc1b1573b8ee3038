import { anImage } from '../../../server/src/features/instances/testing/bodies.ts';
import { makeCertificate } from '../../../server/src/features/secrets/testing/certificates.ts';
import { addSshKey, CLUSTERS, clusterBody } from '../../harness/kubernetes.ts';
import type { TestServer } from '../../harness/server.ts';
import type { Json, LifeCycle, Update } from './life-cycle.ts';

/** What the lives happen among: a network with a subnet, a load balancer with its parts, secrets, an image. */
export interface Scene {
  readonly server: TestServer;
  readonly network: string;
  readonly subnet: string;
  readonly balancer: string;
  readonly listener: string;
  readonly pool: string;
  readonly policy: string;
  readonly image: string;
  readonly group: string;
  /** Two with a certificate and its key. */
  readonly secrets: readonly [string, string];
}

export type CycleOf = (scene: Scene) => LifeCycle | Promise<LifeCycle>;
export type Cycles = Readonly<Record<string, CycleOf>>;

export const scoped = (noun: string, version = 'v1') => `/cloud/${version}/${noun}/1/2`;
export const tag = (key: string, value: string) => ({ key, value, read_only: false });

/** One field, changed alone, and read as it was sent. */
export const field = (name: string, value: unknown, shown: unknown = value): Update => ({
  method: 'PATCH',
  body: { [name]: value },
  shows: { [name]: shown },
});
export const fieldV2 = (name: string, value: unknown, shown: unknown = value): Update => ({
  ...field(name, value, shown),
  version: 'v2',
});

/** A tag in the place of another. */
export const retag = (version: 'v1' | 'v2', shows: Json): Update => ({
  method: 'PATCH',
  version,
  body: { tags: { a: null, b: '2' } },
  shows,
});

/** Creates something that is not looked at. @returns its id */
export async function made(server: TestServer, path: string, body: Json, kind: string): Promise<string> {
  const task = await server.ended(await server.call('POST', path, { body }));
  return String(task.created_resources?.[kind]?.[0]);
}

export async function certificate(): Promise<Json> {
  const { certificate, privateKey } = await makeCertificate(['site.test']);
  return { certificate, certificate_chain: certificate, private_key: privateKey };
}

async function balancing(make: (noun: string, body: Json, kind: string) => Promise<string>) {
  const balancer = await make('loadbalancers', { name: 'around' }, 'loadbalancers');
  const of = { name: 'web', protocol: 'HTTP', loadbalancer_id: balancer };
  const listener = await make('lblisteners', { ...of, protocol_port: 80 }, 'listeners');
  const pool = await make('lbpools', { ...of, lb_algorithm: 'ROUND_ROBIN' }, 'pools');
  const turn = { name: 'turn', action: 'REDIRECT_TO_URL', redirect_url: 'https://a.test' };
  const policy = await make('l7policies', { ...turn, listener_id: listener }, 'l7polices');
  return { balancer, listener, pool, policy };
}

export async function makeScene(server: TestServer): Promise<Scene> {
  const make = (noun: string, body: Json, kind: string, version = 'v1') =>
    made(server, scoped(noun, version), body, kind);
  const network = await make('networks', { name: 'around' }, 'networks');
  const own = { name: 'around', network_id: network, cidr: '10.1.0.0/24' };
  const secret = async (name: string) =>
    make('secrets', { name, payload: await certificate() }, 'secrets', 'v2');
  await addSshKey(server);
  await made(server, CLUSTERS, clusterBody('around'), 'k8s_clusters');
  return {
    server,
    network,
    subnet: await make('subnets', own, 'subnets'),
    ...(await balancing(make)),
    image: await anImage((path) => server.call('GET', path)),
    group: await make('security_groups', { name: 'around', rules: [] }, 'security_groups', 'v2'),
    secrets: [await secret('one'), await secret('two')],
  };
}
