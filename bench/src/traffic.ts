import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { webBalancer } from '../../test/harness/balancer.ts';
import { waitUntil } from '../../test/harness/wait.ts';
import { endChild } from './child.ts';
import { type Figure, pairs, perSecond, requestsPerSecond } from './measure.ts';
import { startBenchServer } from './server.ts';

/** Traffic through a load balancer against the same HAProxy with the least configuration that works. */
export async function benchTraffic(): Promise<Figure[]> {
  const member = createServer((_request, response) => response.end('x'.repeat(2048)));
  await new Promise<void>((resolve) => member.listen(0, '127.0.0.1', resolve));
  const { port } = member.address() as AddressInfo;
  const server = await startBenchServer();
  const bare = await startBareHaproxy(port);
  try {
    const reply = await server.virga.call(
      'POST',
      '/cloud/v1/loadbalancers/1/1',
      webBalancer(8088, [port], {}),
    );
    const task = await server.virga.ended(reply);
    const { body } = await server.virga.call(
      'GET',
      `/cloud/v1/loadbalancers/1/1/${task.created_resources?.loadbalancers?.[0]}`,
    );
    const through = (url: string) => () => requestsPerSecond(url, { connections: 20, seconds: 2 });
    const value = perSecond(await pairs(10, through(`http://${body.vip_address}:8088/`), through(bare.url)));
    return [{ what: 'traffic through a load balancer, to a bare HAProxy, 10 pairs', value, goal: '≥ 0.95' }];
  } finally {
    await bare.stop();
    await server.stop();
    member.close();
  }
}

async function startBareHaproxy(member: number): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'virga-bench-'));
  const port = await freePort();
  const config = path.join(folder, 'haproxy.cfg');
  writeFileSync(
    config,
    `defaults
  mode http
  timeout client 50s
  timeout server 50s
  timeout connect 5s
frontend f
  bind 127.0.0.1:${port}
  default_backend b
backend b
  server m 127.0.0.1:${member}
`,
  );
  // In a session of its own, as those of load balancers are: Linux shares processor time out among sessions.
  const child = spawn('haproxy', ['-db', '-f', config], { stdio: 'ignore', detached: true });
  const url = `http://127.0.0.1:${port}/`;
  await waitUntil(async () => (await fetch(url)).ok, { what: 'the bare HAProxy to serve' });
  return {
    url,
    stop: async () => {
      await endChild(child);
      rmSync(folder, { recursive: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
