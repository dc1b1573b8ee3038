import http from 'node:http';
import http2 from 'node:http2';
import net, { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { listener, loadBalancer, member, monitor, pool } from './test-support/desired.ts';
import { startProvider, type TestProvider } from './test-support/provider.ts';

/** WebSockets that are silent for long, and members that speak HTTP/2. */

let site: TestProvider;
beforeAll(() => {
  site = startProvider();
});
afterAll(() => site.close());

async function listen(server: net.Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

// Those of RFC 6455, 1.3.
const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
const ACCEPT = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=';
const UPGRADE = 'Upgrade: websocket\r\nConnection: Upgrade\r\n';

/** A member that accepts every upgrade, and echoes. */
function echoing(): net.Server {
  const server = http.createServer();
  server.on('upgrade', (_, socket) => {
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${UPGRADE}Sec-WebSocket-Accept: ${ACCEPT}\r\n\r\n`);
    socket.on('data', (data: Buffer) => socket.write(data));
    socket.on('error', () => socket.destroy());
  });
  return server;
}

/** @returns what ended first: `closed` by the load balancer, or `echoed` after this many milliseconds of silence */
async function silentFor(address: string, silenceMs: number): Promise<string> {
  const socket = net.connect(8080, address);
  onTestFinished(() => void socket.destroy());
  const seen = (text: string) =>
    new Promise<void>((resolve) => {
      let all = '';
      socket.on('data', (data) => {
        all += data;
        if (all.includes(text)) resolve();
      });
    });
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve('closed')));
  const upgraded = seen('101 Switching');
  socket.write(`GET / HTTP/1.1\r\nHost: test\r\n${UPGRADE}Sec-WebSocket-Key: ${KEY}\r\n\r\n`);
  await upgraded;
  const echoed = seen('still there').then(() => 'echoed');
  const later = setTimeout(() => socket.write('still there'), silenceMs);
  const outcome = await Promise.race([ended, echoed]);
  clearTimeout(later);
  return outcome;
}

async function webSocket(tunnelMs: number | null): Promise<string> {
  const backend = pool({ members: [member(await listen(echoing()))], tunnelMs });
  const timeoutsMs = { clientData: 300, memberConnect: null, memberData: null };
  const vipAddress = await site.addresses.allocateAddress(new Set());
  const front = listener({ defaultPoolId: backend.id, timeoutsMs });
  await site.apply(loadBalancer({ vipAddress, listeners: [front], pools: [backend] }));
  return vipAddress;
}

test('a WebSocket that is silent for longer than the timeout of clients stays', async () => {
  expect(await silentFor(await webSocket(null), 1500)).toBe('echoed');
});

test('a WebSocket that is silent for longer than its own timeout is ended', async () => {
  expect(await silentFor(await webSocket(500), 600_000)).toBe('closed');
});

test('members that speak HTTP/2 alone are checked and served, with trailers as gRPC has them', async () => {
  const server = http2.createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/grpc', trailer: 'grpc-status' });
    response.write(`${request.httpVersion} ${request.url}`);
    response.addTrailers({ 'grpc-status': '0' });
    response.end();
  });
  const healthMonitor = monitor({ urlPath: '/check' });
  const members = [member(await listen(server as unknown as net.Server))];
  const backend = pool({ members, memberHttpVersion: '2', healthMonitor });
  const vipAddress = await site.addresses.allocateAddress(new Set());
  const front = listener({ defaultPoolId: backend.id });
  const lb = loadBalancer({ vipAddress, listeners: [front], pools: [backend] });
  await site.apply(lb);
  await expect.poll(async () => (await site.observe(lb.id)).members.get(members[0]?.id ?? '')).toBe('ONLINE');
  const answer = await new Promise<{ text: string; trailers: NodeJS.Dict<string> }>((resolve, reject) => {
    http
      .get({ host: vipAddress, port: 8080, path: '/call', headers: { te: 'trailers' } }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve({ text, trailers: response.trailers }));
      })
      .on('error', reject);
  });
  expect(answer).toEqual({ text: '2.0 /call', trailers: { 'grpc-status': '0' } });
});
