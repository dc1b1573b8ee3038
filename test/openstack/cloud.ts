import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import { pythonFolder, rootFolder, stateFolder } from '../../scripts/openstack/place.mjs';
import { accessOf } from '../../scripts/openstack/stack.mjs';
import { Cipher, KEY_BYTES } from '../../server/src/platform/secrets/cipher.ts';
import type { OpenStackSettings } from '../../server/src/providers/openstack/index.ts';
import { sealCredential } from '../../server/src/regions/openstack-regions.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../harness/server.ts';
import { waitUntil } from '../harness/wait.ts';

/** The OpenStack of this machine, and servers with a region on it. */

interface Access extends Pick<OpenStackSettings, 'auth_url' | 'region_name' | 'vip' | 'external'> {
  readonly credential: { readonly id: string; readonly secret: string };
  readonly project_id: string;
  readonly administrator: { readonly name: string; readonly password: string; readonly project: string };
  readonly namespace: string;
  readonly switch: string;
}

/** Undefined where none runs: `npm run openstack -- up` starts it. */
export const access = accessOf(rootFolder()) as Access | undefined;

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
  ports: 0,
  floating_ips: 0,
  leading: 0,
  networks: 0,
  subnets: 0,
  routers: 0,
  interfaces: 0,
  groups: 0,
  rules: 0,
};

export async function inventory(): Promise<Inventory> {
  const python = path.join(pythonFolder(rootFolder()), 'bin/python');
  const script = path.join(import.meta.dirname, 'inventory.py');
  const env = { PATH: process.env.PATH, ACCESS: JSON.stringify(access) };
  const { stdout } = await promisify(execFile)(python, [script], { env, timeout: 120_000 });
  return JSON.parse(stdout);
}

/** A server whose region 7 is this cloud.
 *  @param driver of Octavia, @param id of the region */
export async function startCloudServer(
  driver: 'amphora' | 'ovn',
  options: TestServerOptions = {},
  id = REGION,
): Promise<TestServer> {
  const key = randomBytes(KEY_BYTES);
  if (!access) throw new Error('no OpenStack runs here');
  const { auth_url, region_name, vip, external, credential } = access;
  const openstack: OpenStackSettings = {
    auth_url,
    region_name,
    vip,
    ...(external ? { external } : {}),
    credential: sealCredential(new Cipher([key]), credential),
    load_balancers: { provider: driver },
  };
  const region = {
    id,
    display_name: 'Cloud',
    slug: 'cloud',
    state: 'ACTIVE',
    provider: 'openstack',
    settings: { openstack },
  };
  return startTestServer({ regions: [region], masterKeys: [key], ...options });
}

type Service = 'network' | 'load-balancer';

// biome-ignore lint/suspicious/noExplicitAny: answers of the cloud.
type Called = Promise<any>;

/** A call of the cloud itself, behind Virga's back. */
export function behind(service: Service, method: string, url: string, body?: object): Called {
  const { id, secret } = access?.credential ?? {};
  const identity = { methods: ['application_credential'], application_credential: { id, secret } };
  return called({ identity }, service, method, url, body);
}

/** The same in the name of who may do everything. */
export function administrator(service: Service, method: string, url: string, body?: object): Called {
  const { name, password, project } = access?.administrator ?? {};
  const domain = { id: 'default' };
  const identity = { methods: ['password'], password: { user: { name, domain, password } } };
  return called({ identity, scope: { project: { name: project, domain } } }, service, method, url, body);
}

async function called(auth: object, service: Service, method: string, url: string, body?: object): Called {
  const headers = { 'content-type': 'application/json' };
  const sent = { method: 'POST', headers, body: JSON.stringify({ auth }) };
  const signedIn = await fetch(`${access?.auth_url}/auth/tokens`, sent);
  const { token } = (await signedIn.json()) as { token: Token };
  const base = token.catalog.find(({ type }) => type === service)?.endpoints[0]?.url;
  const answer = await fetch(`${base}${service === 'network' ? '/v2.0' : '/v2/lbaas'}${url}`, {
    method,
    headers: {
      'x-auth-token': signedIn.headers.get('x-subject-token') ?? '',
      'content-type': 'application/json',
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${text}`);
  return text === '' ? {} : JSON.parse(text);
}

interface Token {
  readonly catalog: readonly {
    readonly type: string;
    readonly endpoints: readonly { readonly url: string }[];
  }[];
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

/** All files of tests share one cloud: the file that calls this waits for its turn, and begins with an empty one. */
export function takeTurns(): void {
  const turn = createServer();
  beforeAll(async () => {
    // Whoever has this name has the turn; it ends with its process, too.
    const taken = () =>
      once(turn.listen('\0virga-openstack-tests'), 'listening').then(
        () => true,
        () => false,
      );
    // As long as all other files take, which the time of a hook limits.
    while (!(await taken())) await delay(500);
    await emptyCloud();
  });
  afterAll(() => void turn.close());
}

/** Deletes what an earlier run has left. */
export async function emptyCloud(): Promise<void> {
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

interface Described {
  readonly id: string;
  readonly description: string;
  readonly device_owner?: string;
}
