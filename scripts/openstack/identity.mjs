// @ts-check
import { KEYSTONE_URL } from './configuration.mjs';
import { HOST, PORTS, REGION } from './place.mjs';

/** Accounts, rights, endpoints and the outside network of a new stack, by the public API alone. */

/** @typedef {(method: string, url: string, body?: object) => Promise<any>} Call */

const SERVICES = [
  { name: 'neutron', type: 'network', port: PORTS.neutron, path: '' },
  { name: 'octavia', type: 'load-balancer', port: PORTS.octavia, path: '' },
  { name: 'barbican', type: 'key-manager', port: PORTS.barbican, path: '' },
];
/** Those of machines and disks. */
export const MACHINE_SERVICES = [
  { name: 'placement', type: 'placement', port: PORTS.placement, path: '' },
  { name: 'glance', type: 'image', port: PORTS.glance, path: '' },
  { name: 'cinder', type: 'block-storage', port: PORTS.cinder, path: '/v3' },
  { name: 'nova', type: 'compute', port: PORTS.nova, path: '/v2.1' },
];
/** What Virga is allowed: a member's rights in a project of its own, and those of who runs load balancers. */
const ROLES = ['member', 'load-balancer_member', 'load-balancer_admin'];
const OUTSIDE = { cidr: '203.0.113.0/24', gateway: '203.0.113.1' };

/** @param {string} password @returns {Promise<Call>} calls in the name of the administrator */
export const administrator = (password) => signIn({ name: 'admin', password, project: 'admin' });

/**
 * @param {{ name: string, password: string, project: string }} account
 * @returns {Promise<Call>}
 */
async function signIn({ name, password, project }) {
  const domain = { id: 'default' };
  const identity = { methods: ['password'], password: { user: { name, domain, password } } };
  const body = { auth: { identity, scope: { project: { name: project, domain } } } };
  const answer = await fetch(`${KEYSTONE_URL}/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`Keystone: ${answer.status} ${await answer.text()}`);
  const token = answer.headers.get('x-subject-token') ?? '';
  return async (method, url, sent) => {
    const reply = await fetch(url, {
      method,
      headers: {
        'x-auth-token': token,
        'content-type': sent instanceof Buffer ? 'application/octet-stream' : 'application/json',
      },
      ...(sent === undefined ? {} : { body: sent instanceof Buffer ? sent : JSON.stringify(sent) }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${url}: ${reply.status} ${text}`);
    return text === '' ? {} : JSON.parse(text);
  };
}

/** What makes accounts, by the names of roles that are made when they are missing.
 *  @param {string} password */
async function hand(password) {
  const call = await administrator(password);
  const make = async (/** @type {string} */ kind, /** @type {object} */ fields) =>
    Object.values(await call('POST', `${KEYSTONE_URL}/${kind}`, { [kind.slice(0, -1)]: fields }))[0].id;
  const { roles: known } = await call('GET', `${KEYSTONE_URL}/roles`);
  const roles = new Map(known.map((/** @type {any} */ role) => [role.name, role.id]));
  for (const name of ['admin', 'service', ...ROLES])
    if (!roles.has(name)) roles.set(name, await make('roles', { name }));
  const grant = (
    /** @type {string} */ project,
    /** @type {string} */ user,
    /** @type {readonly string[]} */ names,
  ) =>
    Promise.all(
      names.map((name) =>
        call('PUT', `${KEYSTONE_URL}/projects/${project}/users/${user}/roles/${roles.get(name)}`),
      ),
    );
  return { call, make, grant };
}

/** Makes services and their accounts.
 *  @param {string} password of all of them
 *  @param {typeof SERVICES} services */
export async function makeServices(password, services) {
  const { call, make, grant } = await hand(password);
  const { projects } = await call('GET', `${KEYSTONE_URL}/projects?name=service`);
  const home = projects[0]?.id ?? (await make('projects', { name: 'service', domain_id: 'default' }));
  for (const { name, type, port, path } of services) {
    const account = await make('users', { name, password, domain_id: 'default' });
    await grant(home, account, ['admin', 'service']);
    const service = await make('services', { name, type });
    for (const face of ['public', 'internal']) {
      const url = `http://${HOST}:${port}${path}`;
      await make('endpoints', { service_id: service, interface: face, region_id: REGION, url });
    }
  }
}

/** Makes the services that are always there, and the project that Virga works in.
 *  @param {string} password of all accounts
 *  @returns {Promise<{ id: string, secret: string, projectId: string }>} what Virga signs in with */
export async function makeAccounts(password) {
  await makeServices(password, SERVICES);
  const { make, grant } = await hand(password);
  const projectId = await make('projects', { name: 'virga', domain_id: 'default' });
  const user = await make('users', { name: 'virga', password, domain_id: 'default' });
  await grant(projectId, user, ROLES);
  const own = await signIn({ name: 'virga', password, project: 'virga' });
  const { application_credential: made } = await own(
    'POST',
    `${KEYSTONE_URL}/users/${user}/application_credentials`,
    { application_credential: { name: 'virga' } },
  );
  return { id: made.id, secret: made.secret, projectId };
}

/** Makes the network that leads outside, and one of Virga's own in which load balancers get addresses, behind a router.
 *  @param {string} password
 *  @returns {Promise<{ external: object, vip: object }>} ids and ranges, as a region's settings name them */
export async function makeNetworks(password) {
  const base = `http://${HOST}:${PORTS.neutron}/v2.0`;
  const call = await administrator(password);
  const own = await signIn({ name: 'virga', password, project: 'virga' });
  const { network: outside } = await call('POST', `${base}/networks`, {
    network: {
      name: 'public',
      'router:external': true,
      'provider:network_type': 'flat',
      'provider:physical_network': 'public',
    },
  });
  await call('POST', `${base}/subnets`, {
    subnet: {
      name: 'public',
      network_id: outside.id,
      ip_version: 4,
      cidr: OUTSIDE.cidr,
      gateway_ip: OUTSIDE.gateway,
      enable_dhcp: false,
    },
  });
  const { network } = await own('POST', `${base}/networks`, { network: { name: 'load-balancers' } });
  const cidr = '10.78.0.0/16';
  const { subnet } = await own('POST', `${base}/subnets`, {
    subnet: { name: 'load-balancers', network_id: network.id, ip_version: 4, cidr },
  });
  const { router } = await own('POST', `${base}/routers`, {
    router: { name: 'load-balancers', external_gateway_info: { network_id: outside.id } },
  });
  await own('PUT', `${base}/routers/${router.id}/add_router_interface`, { subnet_id: subnet.id });
  return {
    external: { network_id: outside.id, cidr: OUTSIDE.cidr },
    vip: { subnet_id: subnet.id, cidr },
  };
}
