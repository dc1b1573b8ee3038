import { randomUUID } from 'node:crypto';
import { anImage } from '../../../server/src/features/instances/testing/bodies.ts';
import { sql } from '../../../server/src/platform/database/sql.ts';
import { SAMPLE } from '../../../server/src/platform/openapi/examples.ts';
import type { Reply, TestServer } from '../../harness/server.ts';

export type Sample = keyof typeof SAMPLE;
export type Json = Readonly<Record<string, unknown>>;

/** What an example needs beside the things that it names. */
export interface Hook {
  /** Parameters of the path. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  /** Fields that only the test can know: tokens from mails, keys of rows. */
  readonly body?: Json;
}
/** By operation: prepares the world. */
export type Hooks = Readonly<Record<string, (world: World, body: unknown) => Promise<Hook>>>;

const KINDS = new Map(Object.entries(SAMPLE).map(([kind, id]) => [id as string, kind as Sample]));
const REGION = 2;

/** A project of its own in the simulated region 2, and what an example finds in it: each thing is made when something
 *  first asks for it, and is the same one from then on. */
export class World {
  readonly server: TestServer;
  readonly project: number;
  readonly #made = new Map<string, Promise<string>>();

  constructor(server: TestServer, project: number) {
    this.server = server;
    this.project = project;
  }

  static async on(server: TestServer): Promise<World> {
    const { body } = await new World(server, 0).call('POST', '/cloud/v1/projects', {
      name: `of example ${randomUUID()}`,
    });
    return new World(server, body.id);
  }

  at(noun: string, version = 'v1'): string {
    return `/cloud/${version}/${noun}/${this.project}/${REGION}`;
  }

  async call(method: string, path: string, body?: unknown): Promise<Reply> {
    const reply = await this.server.call(method, path, body === undefined ? {} : { body });
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}`);
    return reply;
  }

  /** Makes a call and waits for its task. @returns the first id that it created of this kind, or '' */
  async done(method: string, path: string, body?: unknown, kind = ''): Promise<string> {
    const task = await this.server.ended(await this.call(method, path, body));
    if (task.state !== 'FINISHED') throw new Error(`${method} ${path}: ${task.error}`);
    return String(task.created_resources?.[kind]?.[0] ?? '');
  }

  /** The thing that an id of the examples stands for, or another one that is named. */
  get(kind: string): Promise<string> {
    const made = this.#made.get(kind) ?? this.#make(kind);
    this.#made.set(kind, made);
    return made;
  }

  /** Notes a thing that was made otherwise. */
  set(kind: string, id: string): string {
    this.#made.set(kind, Promise.resolve(id));
    return id;
  }

  /** An example with things of this world in the places of its ids. */
  async fill(value: unknown): Promise<unknown> {
    if (typeof value === 'string') {
      const kind = KINDS.get(value);
      return kind === undefined ? value : this.get(kind);
    }
    if (Array.isArray(value)) return inTurn(value, (each) => this.fill(each));
    if (typeof value !== 'object' || value === null) return value;
    const filled = await inTurn(Object.entries(value), async ([name, each]) => [name, await this.fill(each)]);
    return Object.fromEntries(filled as [string, unknown][]);
  }

  #make(kind: string): Promise<string> {
    const maker = MAKERS[kind];
    if (!maker) throw new Error(`nobody says how to make: ${kind}`);
    return maker(this);
  }
}

/** One after the other: things that are made may need each other. */
async function inTurn<T>(values: readonly T[], work: (value: T) => Promise<unknown>): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const value of values) results.push(await work(value));
  return results;
}

const MAKERS: Readonly<Record<string, (world: World) => Promise<string>>> = {
  network: (w) => w.done('POST', w.at('networks'), { name: 'around' }, 'networks'),
  subnet: async (w) => {
    const body = { name: 'around', network_id: await w.get('network'), cidr: '192.168.10.0/24' };
    return w.done('POST', w.at('subnets'), body, 'subnets');
  },
  router: async (w) => {
    const interfaces = [{ type: 'subnet', subnet_id: await w.get('apart') }];
    return w.done('POST', w.at('routers'), { name: 'around', interfaces }, 'routers');
  },
  /** A subnet that the router of its network does not know. */
  apart: async (w) => {
    const network_id = await w.get('network');
    const body = { name: 'apart', network_id, cidr: '192.168.10.0/24', connect_to_network_router: false };
    return w.done('POST', w.at('subnets'), body, 'subnets');
  },
  floatingIp: (w) => w.done('POST', w.at('floatingips'), {}, 'floatingips'),
  port: async (w) => {
    const { body } = await w.call('GET', `${w.at('instances')}/${await w.get('instance')}/interfaces`);
    return body.results[0].port_id;
  },
  reservedPort: async (w) => {
    const body = { type: 'subnet', subnet_id: await w.get('subnet') };
    return w.done('POST', w.at('reserved_fixed_ips'), body, 'ports');
  },
  secondInstancePort: async (w) => {
    await w.get('subnet');
    const where = { network_id: await w.get('network'), ip_address: '192.168.10.20' };
    const port_id = await w.done(
      'POST',
      w.at('reserved_fixed_ips'),
      { type: 'ip_address', ...where },
      'ports',
    );
    const path = `${w.at('instances')}/${await w.get('instance')}/attach_interface`;
    await w.done('POST', path, { type: 'reserved_fixed_ip', port_id });
    return port_id;
  },
  group: (w) =>
    w.done('POST', w.at('security_groups', 'v2'), { name: 'shop-web', rules: [] }, 'security_groups'),
  groupRule: async (w) => {
    const body = { direction: 'ingress', protocol: 'tcp', port_range_min: 80, port_range_max: 80 };
    const path = `${w.at('security_groups', 'v2')}/${await w.get('group')}/rules`;
    return w.done('POST', path, body, 'security_group_rules');
  },
  serverGroup: async (w) => {
    const { body } = await w.call('POST', w.at('servergroups'), { name: 'around', policy: 'anti-affinity' });
    return body.servergroup_id;
  },
  image: async (w) => {
    const body = { name: 'around', volume_id: await w.get('volume') };
    return w.done('POST', w.at('images'), body, 'images');
  },
  instance: async (w) => {
    // The region's own, seen from this project.
    const image_id = await anImage((path) => w.call('GET', path.replace('/1/2', `/${w.project}/${REGION}`)));
    const [network_id, subnet_id] = [await w.get('network'), await w.get('subnet')];
    const body = {
      name: 'around',
      flavor: 'g1-standard-1-2',
      volumes: [{ source: 'image', image_id, size: 10 }],
      interfaces: [{ type: 'subnet', network_id, subnet_id }],
    };
    return w.done('POST', w.at('instances', 'v2'), body, 'instances');
  },
  volume: (w) =>
    w.done('POST', w.at('volumes'), { source: 'new-volume', name: 'around', size: 10 }, 'volumes'),
  snapshot: async (w) => {
    const body = { name: 'around', volume_id: await w.get('volume') };
    return w.done('POST', w.at('snapshots'), body, 'snapshots');
  },
  lifecyclePolicy: async (w) => {
    const schedules = [{ type: 'interval', days: 1, max_quantity: 1 }];
    const body = { name: 'around', action: 'volume_snapshot', schedules };
    const policy = (await w.call('POST', w.at('lifecycle_policy'), body)).body;
    w.set('schedule', policy.schedules[0].id);
    return String(policy.id);
  },
  schedule: async (w) => {
    await w.get('lifecyclePolicy');
    return w.get('schedule');
  },
  loadBalancer: (w) => w.done('POST', w.at('loadbalancers'), { name: 'around' }, 'loadbalancers'),
  listener: async (w) => {
    const load_balancer_id = await w.get('loadBalancer');
    const body = { name: 'around', protocol: 'HTTP', protocol_port: 8080, load_balancer_id };
    return w.done('POST', w.at('lblisteners'), body, 'listeners');
  },
  pool: async (w) => {
    const load_balancer_id = await w.get('loadBalancer');
    const body = { name: 'around', protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN', load_balancer_id };
    return w.done('POST', w.at('lbpools'), body, 'pools');
  },
  member: async (w) => {
    const path = `${w.at('lbpools')}/${await w.get('pool')}/member`;
    return w.done('POST', path, { address: '192.168.10.99', protocol_port: 8080 }, 'members');
  },
  monitor: async (w) => {
    const path = `${w.at('lbpools')}/${await w.get('pool')}/healthmonitor`;
    return w.done('POST', path, { type: 'TCP', delay: 5, timeout: 2, max_retries: 3 }, 'healthmonitors');
  },
  policy: async (w) => {
    const body = { name: 'around', action: 'REJECT', listener_id: await w.get('listener') };
    return w.done('POST', w.at('l7policies'), body, 'l7polices');
  },
  rule: async (w) => {
    const path = `${w.at('l7policies')}/${await w.get('policy')}/rules`;
    return w.done('POST', path, { type: 'PATH', compare_type: 'EQUAL_TO', value: '/' }, 'l7rules');
  },
  secret: async (w) => {
    const example = w.server.app.features.find(({ name }) => name === 'secrets')?.examples?.CreateSecret;
    return w.done('POST', w.at('secrets', 'v2'), example, 'secrets');
  },
  task: async (w) => {
    const { body } = await w.call('POST', w.at('networks'), { name: 'of a task' });
    return body.tasks[0];
  },
  notification: async (w) => {
    const row = await w.server.db.row<{ id: number }>(sql`
      insert into notifications (client_id, kind, means, subject, created_at)
      select client_id, 'test', 'mail', 'It happened', now() from projects where id = ${w.project} returning id`);
    return String(row?.id);
  },
  sshKey: async (w) => {
    const { body } = await w.call('POST', `/cloud/v1/ssh_keys/${w.project}`, { name: 'anna-laptop' });
    return body.id;
  },
  cluster: async (w) => {
    await w.get('sshKey');
    const pools = [{ name: 'workers', flavor_id: 'g1-standard-2-4', min_node_count: 2, max_node_count: 4 }];
    const body = { name: 'around', version: 'v1.33.4', keypair: 'anna-laptop', pools };
    await w.done('POST', w.at('k8s/clusters', 'v2'), body);
    return 'around';
  },
  storage: async (w) => {
    const body = { location_name: 'simulated', name: `around-${w.project}` };
    const made = await w.call('POST', '/storage/v4/object_storages', body);
    return String(made.body.id);
  },
  sftpStorage: async (w) => {
    const body = { location_name: 'simulated', name: `files-${w.project}`, password_mode: 'auto' };
    return String((await w.call('POST', '/storage/v4/sftp_storages', body)).body.id);
  },
  storageSshKey: async (w) => {
    const example = w.server.app.features.find(({ name }) => name === 'sftp-storages')?.examples
      ?.CreateStorageSshKey;
    const body = { ...(example as Json), name: `of ${w.project}` };
    return String((await w.call('POST', '/storage/v4/ssh_keys', body)).body.id);
  },
  bucket: async (w) => {
    const path = `/storage/v4/object_storages/${await w.get('storage')}/buckets`;
    await w.call('POST', path, { name: 'around' });
    return 'around';
  },
  activation: async (w) => {
    await w.call('PUT', w.at('dbaas/status'), { is_initialized: true });
    return '';
  },
  postgresql: async (w) => {
    await w.get('activation');
    const body = {
      cluster_name: 'around',
      flavor: { cpu: 1, memory_gib: 2 },
      storage: { size_gib: 10, type: 'standard' },
      network: { network_type: 'public', acl: [] },
      high_availability: null,
      pg_server_configuration: { pg_conf: '', version: '18' },
    };
    await w.done('POST', w.at('dbaas/postgres/clusters'), body);
    return 'around';
  },
};
