import { createSocket } from 'node:dgram';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import {
  sharedBackend,
  startBackend,
} from '../../server/src/providers/local/load-balancers/test-support/backend.ts';
import { get, startLoad } from '../../server/src/providers/local/load-balancers/test-support/client.ts';
import { startLocalServer } from '../harness/regions.ts';
import { shared } from '../harness/shared.ts';
import { waitUntil } from '../harness/wait.ts';

/** Listeners, pools, members and health monitors, changed one by one through the API while a real HAProxy carries
 *  their traffic. */

const LBS = '/cloud/v1/loadbalancers/1/1';
const PORT = 8088;

const server = shared(startLocalServer);
const one = sharedBackend('one');
let two = sharedBackend('two');
afterAll(() => two.kill());

const read = async (path: string) => (await server.call('GET', path)).body;

/** A change that must succeed, and what it created. */
async function done(method: string, path: string, body?: unknown): Promise<Record<string, string[]>> {
  const reply = await server.call(method, path, body === undefined ? {} : { body });
  if (reply.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}`);
  const task = await server.ended(reply);
  if (task.state !== 'FINISHED') throw new Error(`${task.task_type}: ${task.error}`);
  return (task.created_resources ?? {}) as Record<string, string[]>;
}

const at = ({ port }: { port: number }) => ({ address: '127.0.0.1', protocol_port: port });

interface Site {
  readonly lb: string;
  readonly listener: string;
  readonly pool: string;
  readonly members: readonly string[];
  readonly address: string;
  readonly url: string;
  patchListener(body: object): Promise<unknown>;
  patchPool(body: object): Promise<unknown>;
  patchMember(id: string, body: object): Promise<unknown>;
  gone(): Promise<unknown>;
}

/** A load balancer with one listener and its pool, made part by part as an infrastructure tool does. */
async function site(listenerBody: object = {}, poolBody: object = {}): Promise<Site> {
  const { loadbalancers: [lb = ''] = [] } = await done('POST', LBS, { name: 'parts' });
  const { listeners: [listener = ''] = [] } = await done('POST', '/cloud/v1/lblisteners/1/1', {
    load_balancer_id: lb,
    name: 'front',
    protocol: 'HTTP',
    protocol_port: PORT,
    ...listenerBody,
  });
  const { pools: [pool = ''] = [], members = [] } = await done('POST', '/cloud/v1/lbpools/1/1', {
    listener_id: listener,
    name: 'app',
    protocol: 'HTTP',
    lb_algorithm: 'ROUND_ROBIN',
    members: [at(one), at(two)],
    ...poolBody,
  });
  const { vip_address: address } = await read(`${LBS}/${lb}`);
  return {
    lb,
    listener,
    pool,
    members,
    address,
    url: `http://${address}:${PORT}/`,
    patchListener: (body) => done('PATCH', `/cloud/v2/lblisteners/1/1/${listener}`, body),
    patchPool: (body) => done('PATCH', `/cloud/v2/lbpools/1/1/${pool}`, body),
    patchMember: (id, body) => done('PATCH', `${LBS}/pools/${pool}/members/${id}`, body),
    gone: () => done('DELETE', `${LBS}/${lb}`),
  };
}

/** The members that answer several requests. */
async function answering(url: string): Promise<string[]> {
  const bodies = new Set<string>();
  for (let count = 0; count < 6; count += 1) bodies.add((await get(url)).body);
  return [...bodies].sort();
}

test('changes of members, pools and listeners under load lose no request, and neither does a member that dies', async () => {
  const healthmonitor = { type: 'HTTP', delay: 1, timeout: 1, max_retries: 2, url_path: '/' };
  const { lb, listener, pool, members, url, ...web } = await site({}, { healthmonitor });
  const ofPool = `${LBS}/pools/${pool}/members`;
  const three = await startBackend('three');
  const load = startLoad(url);
  const flowing = async (more = 40) => {
    const seen = () => [one, two, three].reduce((sum, { requests }) => sum + requests.length, 0);
    const before = seen();
    await waitUntil(() => seen() >= before + more, { what: 'traffic' });
  };
  await flowing();
  const { members: [third = ''] = [] } = await done('POST', ofPool, at(three));
  await waitUntil(() => three.requests.length > 0, { what: 'traffic of the new member' });
  await web.patchMember(members[0] ?? '', { weight: 0 });
  await flowing();
  expect((await read(`${ofPool}/${members[0]}`)).operating_status).toBe('DRAINING');
  await web.patchMember(members[0] ?? '', { weight: 5 });
  await web.patchMember(members[1] ?? '', { admin_state_up: false });
  await flowing();
  await done('DELETE', `${ofPool}/${members[1]}`);
  await flowing();
  await done('PUT', ofPool, [at(one), at(two), { ...at(three), weight: 2 }]);
  await web.patchPool({ lb_algorithm: 'LEAST_CONNECTIONS', healthmonitor: { ...healthmonitor, delay: 2 } });
  await flowing();
  await web.patchListener({ timeout_client_data: 30_000, connection_limit: 5000 });
  await flowing();
  const { listeners: [other = ''] = [] } = await done('POST', '/cloud/v1/lblisteners/1/1', {
    load_balancer_id: lb,
    name: 'other',
    protocol: 'HTTP',
    protocol_port: 8089,
    default_pool_id: pool,
  });
  await flowing();
  await done('DELETE', `/cloud/v1/lblisteners/1/1/${other}`);
  await done('DELETE', `/cloud/v1/lbpools/1/1/${pool}/member/${third}`);
  await flowing();
  await two.kill();
  await flowing(200);
  const { failures, requests } = await load.stop();
  expect(failures).toEqual([]);
  expect(requests).toBeGreaterThan(400);
  two = await startBackend('two', two.port);
  await three.kill();
  await web.gone();
});

test('what is switched off gets no traffic, and gets it again when it is switched on', async () => {
  const { members, url, ...web } = await site();
  const [first = ''] = members;
  expect(await answering(url)).toEqual(['one', 'two']);
  await web.patchMember(first, { admin_state_up: false });
  expect(await answering(url)).toEqual(['two']);
  await web.patchMember(first, { admin_state_up: true });
  await web.patchPool({ admin_state_up: false });
  expect((await get(url)).status).toBe(503);
  await web.patchPool({ admin_state_up: true });
  await web.patchListener({ admin_state_up: false });
  await expect(get(url)).rejects.toThrow('ECONNREFUSED');
  await web.patchListener({ admin_state_up: true });
  expect(await answering(url)).toEqual(['one', 'two']);
  await web.gone();
});

test('what a listener is set to do about clients, it does', async () => {
  const { url, address, ...web } = await site({ insert_x_forwarded: true });
  await answering(url);
  expect(one.requests.at(-1)?.headers).toMatchObject({
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-port': String(PORT),
    'x-forwarded-proto': 'http',
  });
  // "secret", as `openssl passwd -5 -salt salt` encrypts it.
  const encrypted_password = '$5$salt$kpa26zwgX83BPSR8d7w93OIXbFt/d3UOTZaAu5vsTM6';
  await web.patchListener({ user_list: [{ username: 'admin', encrypted_password }] });
  const authorization = `Basic ${Buffer.from('admin:secret').toString('base64')}`;
  expect((await get(url)).status).toBe(401);
  expect((await get(url, { headers: { authorization } })).status).toBe(200);
  await web.patchListener({ user_list: null, allowed_cidrs: ['10.0.0.0/8'] });
  await expect(get(url)).rejects.toThrow(/ECONNRESET|hang up/);
  await web.patchListener({ allowed_cidrs: null, connection_limit: 1 });
  // Who is in keeps the next one waiting, and lets it in by leaving.
  const inside = connect(PORT, address);
  await new Promise((resolve) => inside.once('connect', resolve));
  inside.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
  await new Promise((resolve) => inside.once('data', resolve));
  let answered = false;
  const waiting = get(url).then(({ status }) => {
    answered = true;
    return status;
  });
  await web.patchPool({ name: 'still' });
  expect(answered).toBe(false);
  inside.destroy();
  expect(await waiting).toBe(200);
  await web.gone();
});

test('session persistence keeps a client with its member', async () => {
  const { url, ...web } = await site({}, { session_persistence: { type: 'HTTP_COOKIE' } });
  const first = await get(url);
  const cookie = first.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const bodies = async (headers: Record<string, string>) => {
    const seen = new Set<string>();
    for (let count = 0; count < 6; count += 1) seen.add((await get(url, { headers })).body);
    return seen;
  };
  expect(await bodies({ cookie })).toEqual(new Set([first.body]));
  await web.patchPool({ session_persistence: { type: 'SOURCE_IP', persistence_timeout: 60 } });
  expect((await bodies({})).size).toBe(1);
  await web.patchPool({ session_persistence: null });
  expect((await bodies({ cookie })).size).toBe(2);
  await web.gone();
});

/** A server that answers a connection with what it heard first. */
async function startEcho(): Promise<{ server: Server; port: number }> {
  const echo = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (data) => socket.end(`got ${data.toString('latin1')}`));
  });
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  return { server: echo, port: (echo.address() as AddressInfo).port };
}

function hear(host: string, port: number, say: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => socket.write(say));
    socket.setEncoding('latin1').once('data', resolve);
    socket.once('error', reject);
  });
}

/** Asks by UDP until somebody answers. */
async function askByUdp(host: string, port: number): Promise<string> {
  const socket = createSocket('udp4');
  let answer: string | undefined;
  socket.on('message', (data) => {
    answer = data.toString();
  });
  socket.on('error', () => {});
  try {
    return await waitUntil(
      () => {
        socket.send('hi', port, host);
        return answer;
      },
      { what: 'a packet', intervalMs: 50 },
    );
  } finally {
    socket.close();
  }
}

test('TCP goes through with the client in front, and UDP beside it on the same port', async () => {
  const echo = await startEcho();
  const udp = createSocket('udp4');
  udp.on('message', (text, from) => udp.send(`udp ${text}`, from.port, from.address));
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
  const { lb, address, ...web } = await site({ protocol: 'TCP' }, { protocol: 'PROXY', members: [at(echo)] });
  expect(await hear(address, PORT, 'x')).toMatch(/^got PROXY TCP4 127\.0\.0\.1 \S+ \d+ 8088\r\n/);
  await web.patchPool({ protocol: 'TCP' });
  expect(await hear(address, PORT, 'hello')).toBe('got hello');
  const { listeners: [listener] = [] } = await done('POST', '/cloud/v1/lblisteners/1/1', {
    load_balancer_id: lb,
    name: 'datagrams',
    protocol: 'UDP',
    protocol_port: PORT,
  });
  await done('POST', '/cloud/v1/lbpools/1/1', {
    listener_id: listener,
    name: 'datagrams',
    protocol: 'UDP',
    lb_algorithm: 'ROUND_ROBIN',
    members: [{ address: '127.0.0.1', protocol_port: udp.address().port }],
  });
  expect(await askByUdp(address, PORT)).toBe('udp hi');
  expect(await hear(address, PORT, 'hello')).toBe('got hello');
  await web.gone();
  udp.close();
  await new Promise((resolve) => echo.server.close(resolve));
});
