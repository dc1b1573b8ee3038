import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shared } from '../../../../../test/harness/shared.ts';
import { waitUntil } from '../../../../../test/harness/wait.ts';
import { sharedBackend, startBackend } from './test-support/backend.ts';
import { get } from './test-support/client.ts';
import { accessLog, listener, loadBalancer, member, monitor, pool } from './test-support/desired.ts';
import { startProvider } from './test-support/provider.ts';

const one = sharedBackend('one');
const two = sharedBackend('two');
const site = shared(startProvider);

async function serve(
  change: Parameters<typeof listener>[0],
  poolChange: Parameters<typeof pool>[0] = {},
  more: Parameters<typeof loadBalancer>[0] = {},
) {
  const vipAddress = await site.addresses.allocateAddress(new Set());
  const web = pool({ members: [member(one.port), member(two.port)], ...poolChange });
  const front = listener({ defaultPoolId: web.id, ...change });
  const lb = loadBalancer({ vipAddress, listeners: [front], pools: [web], ...more });
  await site.apply(lb);
  return { lb, web, front, vipAddress, url: `http://${vipAddress}:8080` };
}

/** What a plain TCP connection hears first. */
function hear(host: string, port: number, say = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => socket.write(say));
    socket.setEncoding('latin1').once('data', (text: string) => {
      resolve(text);
      socket.destroy();
    });
    socket.once('error', reject).once('close', () => resolve(''));
  });
}

test('a listener informs members about the client when asked to, and the members of no other', async () => {
  const { url } = await serve({ insertXForwarded: true }, { members: [member(one.port)] });
  await get(url);
  expect(one.requests.at(-1)?.headers).toMatchObject({
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-port': '8080',
    'x-forwarded-proto': 'http',
  });
  const silent = await serve({}, { members: [member(one.port)] });
  await get(silent.url);
  expect(one.requests.at(-1)?.headers['x-forwarded-for']).toBeUndefined();
});

test('a user list lets in who knows a password', async () => {
  // "secret", as `openssl passwd -5 -salt salt` encrypts it.
  const encryptedPassword = '$5$salt$kpa26zwgX83BPSR8d7w93OIXbFt/d3UOTZaAu5vsTM6';
  const { url } = await serve({ basicAuth: [{ username: 'Ann Other', encryptedPassword }] });
  const ask = (who: string) =>
    get(url, { headers: { authorization: `Basic ${Buffer.from(who).toString('base64')}` } });
  expect((await get(url)).status).toBe(401);
  expect((await ask('Ann Other:wrong')).status).toBe(401);
  expect((await ask('Ann Other:secret')).status).toBe(200);
});

test('only allowed networks may connect', async () => {
  const { url, lb, front } = await serve({ allowedCidrs: ['10.0.0.0/8', '127.0.0.0/8'] });
  expect((await get(url)).status).toBe(200);
  await site.apply({ ...lb, version: 2, listeners: [{ ...front, allowedCidrs: ['10.0.0.0/8', '::/0'] }] });
  await expect(get(url)).rejects.toThrow(/ECONNRESET|hang up/);
  await site.apply({ ...lb, version: 3, listeners: [{ ...front, allowedCidrs: [] }] });
  expect((await get(url)).status).toBe(200);
});

test('all addresses of a load balancer serve the same listeners', async () => {
  const extra = await site.addresses.allocateAddress(new Set());
  const { lb, url } = await serve({}, {}, { extraAddresses: [extra] });
  expect((await get(url)).status).toBe(200);
  expect((await get(`http://${extra}:8080`)).status).toBe(200);
  await site.apply({ ...lb, version: 2, extraAddresses: [] });
  await expect(get(`http://${extra}:8080`)).rejects.toThrow('ECONNREFUSED');
});

test('TCP passes everything through, with the client in front where the members want it', async () => {
  const echo = createServer((socket) =>
    socket.once('data', (data) => socket.end(`got ${data.toString('latin1')}`)),
  );
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  const members = [member((echo.address() as AddressInfo).port)];
  const tcp = { protocol: 'TCP', port: 9000 } as const;
  const plain = await serve(tcp, { protocol: 'TCP', members });
  expect(await hear(plain.vipAddress, 9000, 'hello')).toBe('got hello');
  const first = await serve(tcp, { protocol: 'PROXY', members });
  expect(await hear(first.vipAddress, 9000, 'x')).toMatch(
    /^got PROXY TCP4 127\.0\.0\.1 127\.77\.\S+ \d+ 9000\r\n/,
  );
  const second = await serve(tcp, { protocol: 'PROXYV2', members });
  expect(await hear(second.vipAddress, 9000, 'x')).toMatch(/^got \r\n\r\n.\r\nQUIT\n/s);
  await new Promise((resolve) => echo.close(resolve));
});

test('a PROMETHEUS listener shows what this load balancer does, and nothing else', async () => {
  const { url } = await serve({ protocol: 'PROMETHEUS', defaultPoolId: null });
  expect((await get(`${url}/metrics`)).body).toContain('haproxy_frontend_current_sessions');
  expect((await get(`${url}/`)).status).toBe(404);
});

test('cookies of the load balancer keep a client with its member, whatever members come and go', async () => {
  const sessionPersistence = {
    type: 'HTTP_COOKIE',
    cookieName: 'lb node',
    persistenceTimeout: null,
    persistenceGranularity: null,
  } as const;
  const { url, lb, web } = await serve({}, { sessionPersistence });
  const first = await get(url);
  const cookie = first.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  expect(cookie).toMatch(/^lb node=/);
  expect(first.headers['set-cookie']?.[0]).toMatch(/; HttpOnly$/);
  const newcomer = await startBackend('newcomer');
  const members = [...web.members, member(newcomer.port)];
  await site.apply({ ...lb, version: 2, pools: [{ ...web, members }] });
  for (let count = 0; count < 6; count += 1) {
    expect((await get(url, { headers: { cookie } })).body).toBe(first.body);
  }
  await newcomer.kill();
});

test('the cookie of an application, and the address of a client, are remembered over a reload', async () => {
  const persistence = {
    cookieName: 'JSESSIONID',
    persistenceTimeout: 60,
    persistenceGranularity: null,
  } as const;
  const byCookie = await serve({}, { sessionPersistence: { type: 'APP_COOKIE', ...persistence } });
  one.answer = { status: 200, headers: { 'set-cookie': 'JSESSIONID=of-one; path=/' } };
  two.answer = { status: 200, headers: { 'set-cookie': 'JSESSIONID=of-two; path=/' } };
  const session = await get(byCookie.url);
  one.answer = { status: 200 };
  two.answer = { status: 200 };
  const cookie = session.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const byAddress = await serve({}, { sessionPersistence: { type: 'SOURCE_IP', ...persistence } });
  const address = (await get(byAddress.url)).body;
  for (const { lb, front } of [byCookie, byAddress]) {
    await site.apply({ ...lb, version: 2, listeners: [front, { ...front, id: 'other', port: 8081 }] });
  }
  await waitUntil(async () => (await get(byCookie.url, { headers: { cookie } })).body === session.body, {
    what: 'the table',
  });
  for (let count = 0; count < 6; count += 1) {
    expect((await get(byCookie.url, { headers: { cookie } })).body).toBe(session.body);
    expect((await get(byAddress.url)).body).toBe(address);
  }
});

test('backup members get traffic only when all others are down', async () => {
  const main = await startBackend('main');
  const members = [member(main.port), member(two.port, { backup: true })];
  const { url } = await serve({}, { members, healthMonitor: monitor() });
  expect((await get(url)).body).toBe('main');
  expect((await get(url)).body).toBe('main');
  await main.kill();
  expect((await get(url)).body).toBe('two');
});

test('least connections and source address choose members as they say', async () => {
  const bySource = await serve({}, { algorithm: 'SOURCE_IP' });
  const { body } = await get(bySource.url);
  expect((await get(bySource.url)).body).toBe(body);
  const least = await serve({}, { algorithm: 'LEAST_CONNECTIONS' });
  expect(new Set([(await get(least.url)).body, (await get(least.url)).body])).toEqual(
    new Set(['one', 'two']),
  );
});

test('a retried request never doubles what is not safe to double', async () => {
  let posts = 0;
  const rude = createServer((socket) =>
    socket.once('data', () => {
      posts += 1;
      socket.destroy();
    }),
  );
  await new Promise<void>((resolve) => rude.listen(0, '127.0.0.1', resolve));
  const { url } = await serve({}, { members: [member((rude.address() as AddressInfo).port)] });
  expect((await get(url, { method: 'POST' })).status).toBe(502);
  expect(posts).toBe(1);
  await new Promise((resolve) => rude.close(resolve));
});

test('an access log has one line for each request, over changes and reloads', async () => {
  const { lb, url, web } = await serve({}, {}, { accessLog: accessLog({ topic: 'web' }) });
  const path = join(site.dataDir, 'load-balancers', lb.id, 'access.log');
  const paths = () =>
    [...readFileSync(path, 'utf8').matchAll(/"GET (\S+) HTTP\/1\.1"/g)].map(([, requested]) => requested);
  await get(`${url}/first`);
  await site.apply({ ...lb, version: 2, pools: [{ ...web, members: web.members.slice(1) }] });
  await get(`${url}/second`);
  await site.apply({ ...lb, version: 3, listeners: [...lb.listeners, listener({ port: 8081 })] });
  await get(`${url}/third`);
  await waitUntil(() => paths().length >= 3, { what: 'three lines' });
  expect(paths()).toEqual(['/first', '/second', '/third']);
  await site.apply({ ...lb, version: 4, accessLog: null });
  await get(`${url}/fourth`);
  expect(paths().length).toBe(3);
});

test('listeners and pools that cannot be combined are refused in words', async () => {
  await expect(serve({}, { protocol: 'TCP' })).rejects.toThrow(/\(HTTP\) cannot use pool .* \(TCP\)/);
});
