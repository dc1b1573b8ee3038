import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import { pythonFolder, rootFolder, stateFolder } from '../../scripts/openstack/place.mjs';
import { KEY_BYTES } from '../../server/src/platform/secrets/cipher.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../harness/server.ts';
import { waitUntil } from '../harness/wait.ts';
import { access, administrator, behind, cloudSettings } from './calls.ts';

/** Servers with a region on the OpenStack of this machine, and what is in it. */

export const REGION = 7;
export const LBS = `/cloud/v1/loadbalancers/1/${REGION}`;

/** How many of each kind there are, by the public SDK. */
export type Inventory = Readonly<Record<string, number>>;

export const EMPTY: Inventory = {
  load_balancers: 0,
  listeners: 0,
  pools: 0,
  members: 0,
  monitors: 0,
  policies: 0,
  secrets: 0,
  ports: 0,
  floating_ips: 0,
  leading: 0,
  networks: 0,
  subnets: 0,
  routers: 0,
  interfaces: 0,
  groups: 0,
  rules: 0,
  servers: 0,
  key_pairs: 0,
  server_groups: 0,
  volumes: 0,
  attachments: 0,
  snapshots: 0,
  images: 0,
};

export async function inventory(): Promise<Inventory> {
  const python = path.join(pythonFolder(rootFolder()), 'bin/python');
  const script = path.join(import.meta.dirname, 'inventory.py');
  const env = { PATH: process.env.PATH, ACCESS: JSON.stringify(access) };
  const { stdout } = await promisify(execFile)(python, [script], { env, timeout: 120_000 });
  return JSON.parse(stdout);
}

/** A server whose region 7 is this cloud.
 *  @param driver of Octavia, @param id of the region, @param images further ones that every project sees */
export async function startCloudServer(
  driver: 'amphora' | 'ovn',
  options: TestServerOptions = {},
  id = REGION,
  images: Readonly<Record<string, string>> = {},
): Promise<TestServer> {
  const key = randomBytes(KEY_BYTES);
  const openstack = cloudSettings(driver, key, images);
  const region = {
    id,
    display_name: 'Cloud',
    slug: 'cloud',
    state: 'ACTIVE',
    provider: 'openstack',
    settings: { openstack, volume_types: Object.keys(openstack.volumes?.types ?? {}) },
  };
  return startTestServer({ regions: [region], masterKeys: [key], ...options });
}

/** Does to a load balancer what a driver does that gives up, or never ends. */
export async function breakLoadBalancer(
  id: string,
  status: 'ERROR' | 'PENDING_UPDATE' | 'ACTIVE' = 'ERROR',
): Promise<void> {
  if (!/^[0-9a-f-]{36}$/.test(id)) throw new Error(`no id: ${id}`);
  const socket = path.join(stateFolder(rootFolder()), 'mariadb/socket');
  const statement = `update load_balancer set provisioning_status = '${status}' where id = '${id}'`;
  await promisify(execFile)(
    'mariadb',
    ['--no-defaults', `--socket=${socket}`, '-uroot', 'octavia', '-e', statement],
    { env: { PATH: process.env.PATH, MYSQL_PWD: access?.administrator.password } },
  );
}

/** As long as all other files take. */
const TURN_PATIENCE_MS = 3_600_000;

/** All files of tests share one cloud: the file that calls this waits for its turn, and begins with an empty one. */
export function takeTurns(): void {
  const turn = createServer();
  let isOver = false;
  beforeAll(async () => {
    // Whoever has this name has the turn; it ends with its process, too.
    const taken = () =>
      once(turn.listen('\0virga-openstack-turn'), 'listening').then(
        () => true,
        () => false,
      );
    while (!isOver && !(await taken())) await delay(500);
    // Who has given up meanwhile must not keep it.
    if (isOver) turn.close();
    else await removeGuests().then(emptyCloud);
  }, TURN_PATIENCE_MS);
  afterAll(() => {
    isOver = true;
    turn.close();
  });
}

/** Takes ports from the switch whose namespaces a run that was killed took with it: it is busy for ever with them. */
async function removeGuests(): Promise<void> {
  const switched = async (...words: readonly string[]) =>
    (await promisify(execFile)('ovs-vsctl', ['--timeout=30', `--db=${access?.switch}`, ...words])).stdout;
  for (const port of (await switched('list-ports', 'br-int')).split('\n'))
    if (/^v[0-9a-f-]{10}$/.test(port)) await switched('del-port', 'br-int', port);
}

/** Deletes machines, disks and images. */
async function emptyMachines(): Promise<void> {
  const project = access?.project_id;
  for (const service of ['compute', 'block-storage'] as const)
    await administrator(service, 'DELETE', `/os-quota-sets/${project}`).catch(() => undefined);
  const clear = async (service: 'compute' | 'block-storage' | 'image', noun: string, query = '') => {
    const list = async () =>
      Object.values(await behind(service, 'GET', `/${noun}${query}`)).find(Array.isArray) as { id: string }[];
    for (const { id } of await list())
      await behind(service, 'DELETE', `/${noun}/${id}`).catch(() => undefined);
    await waitUntil(async () => (await list()).length === 0, { what: `no ${noun}`, intervalMs: 300 });
  };
  await clear('compute', 'servers');
  await clear('compute', 'os-server-groups');
  await clear('block-storage', 'snapshots');
  await clear('block-storage', 'volumes');
  await clear('image', 'images', `?owner=${project}`);
  for (const { keypair } of (await behind('compute', 'GET', '/os-keypairs')).keypairs)
    await behind('compute', 'DELETE', `/os-keypairs/${keypair.name}`);
}

/** Deletes what an earlier run has left. */
export async function emptyCloud(): Promise<void> {
  if (access?.machines) await emptyMachines();
  await administrator('load-balancer', 'DELETE', `/quotas/${access?.project_id}`).catch(() => undefined);
  const { loadbalancers } = await behind('load-balancer', 'GET', '/loadbalancers');
  for (const { id } of loadbalancers) {
    const gone = () => behind('load-balancer', 'DELETE', `/loadbalancers/${id}?cascade=true`);
    // It takes no deletion while it changes.
    await waitUntil(
      () =>
        gone().then(
          () => true,
          (error) => error.message.includes(': 404'),
        ),
      { what: 'a deletion', intervalMs: 300 },
    );
  }
  await waitUntil(
    async () => (await behind('load-balancer', 'GET', '/loadbalancers')).loadbalancers.length === 0,
    { what: 'an empty cloud', intervalMs: 200 },
  );
  for (const ref of await secretRefs())
    await behind('key-manager', 'DELETE', `/secrets/${ref.split('/').at(-1)}`);
  for (const { id } of (await behind('network', 'GET', '/floatingips')).floatingips) {
    await behind('network', 'DELETE', `/floatingips/${id}`);
  }
  const ours = async (noun: string) => {
    const list = Object.values(await behind('network', 'GET', `/${noun}`))[0] as Described[];
    return list.filter(({ description }) => /^(virga:|stranger$)/.test(description));
  };
  for (const { id } of await ours('routers')) {
    await behind('network', 'PUT', `/routers/${id}`, { router: { routes: [] } });
    const { ports } = await behind('network', 'GET', `/ports?device_id=${id}`);
    for (const port of ports.filter((each: Described) => each.device_owner !== 'network:router_gateway'))
      await behind('network', 'PUT', `/routers/${id}/remove_router_interface`, { port_id: port.id });
    await behind('network', 'DELETE', `/routers/${id}`);
  }
  const { ports } = await behind('network', 'GET', '/ports');
  for (const { id, description } of ports)
    if (/^(virga:|stranger$)/.test(description)) await administrator('network', 'DELETE', `/ports/${id}`);
  for (const noun of ['subnets', 'networks', 'security-groups'])
    for (const { id } of await ours(noun)) await behind('network', 'DELETE', `/${noun}/${id}`);
}

/** Of all that the key manager keeps. */
export async function secretRefs(): Promise<readonly string[]> {
  const { secrets } = await behind('key-manager', 'GET', '/secrets?limit=100');
  return secrets.map((each: { secret_ref: string }) => each.secret_ref);
}

interface Described {
  readonly id: string;
  readonly description: string;
  readonly device_owner?: string;
}
