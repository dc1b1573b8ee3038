import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  newDataDir,
  processesWith,
  removeDataDir,
  runVirga,
  startVirga,
  type VirgaProcess,
} from '../harness/process.ts';
import { waitUntil } from '../harness/wait.ts';

/** The program as people run it: killed, restarted, stopped, with traffic going through it. Its first start is that of
 *  a careful person: with a restrictive umask, in a shell that is set up for another PostgreSQL. */

let dataDir: string;
let members: readonly Server[];
let virga: VirgaProcess;
let vip: string;
let id: string;
const PORT = 8088;

const OTHER_DATABASES = {
  PGHOST: 'db.example.com',
  PGSSLMODE: 'require',
  PGSSLNEGOTIATION: 'direct',
  PGOPTIONS: '-c statement_timeout=1',
  PGDATA: '/nowhere',
};

beforeAll(async () => {
  dataDir = newDataDir();
  members = await Promise.all(['one', 'two'].map(startMember));
  const umask = process.umask(0o077);
  virga = await startVirga({ dataDir, env: OTHER_DATABASES }).finally(() => process.umask(umask));
});

afterAll(async () => {
  await virga?.end('SIGTERM').catch(() => undefined);
  for (const member of members ?? []) member.close();
  removeDataDir(dataDir);
});

function startMember(name: string): Promise<Server> {
  const server = createServer((_request, response) => response.end(name));
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

const ask = async () => (await fetch(`http://${vip}:${PORT}/`, { headers: { connection: 'close' } })).text();
const read = async () =>
  (await virga.call('GET', `/cloud/v1/loadbalancers/1/1/${id}`)).body as Record<string, unknown>;
const haproxies = () => processesWith(`${dataDir}/regions`);

test('a start logs no warning of its runtime', () => {
  expect(virga.output()).not.toMatch(/\w*Warning:/);
});

test('a load balancer carries traffic to both members', async () => {
  const reply = await virga.call('POST', '/cloud/v1/loadbalancers/1/1', {
    name: 'web',
    listeners: [
      {
        name: 'http',
        protocol: 'HTTP',
        protocol_port: PORT,
        pools: [
          {
            name: 'app',
            protocol: 'HTTP',
            lb_algorithm: 'ROUND_ROBIN',
            members: members.map((member) => ({
              address: '127.0.0.1',
              protocol_port: (member.address() as AddressInfo).port,
            })),
            healthmonitor: {
              type: 'HTTP',
              delay: 2,
              timeout: 2,
              max_retries: 1,
              max_retries_down: 3,
              url_path: '/',
            },
          },
        ],
      },
    ],
  });
  const task = await virga.ended(reply);
  expect(task).toMatchObject({ state: 'FINISHED', error: null });
  id = task.created_resources?.loadbalancers?.[0] ?? '';
  vip = String((await read()).vip_address);
  const answers = new Set([await ask(), await ask(), await ask(), await ask()]);
  expect([...answers].sort()).toEqual(['one', 'two']);
});

test('a second start on the same data directory is refused in one line that names the first', async () => {
  const { code, output } = await runVirga({ dataDir });
  expect(code).toBe(1);
  expect(output.trim().split('\n')).toHaveLength(1);
  expect(output).toContain(String(virga.pid));
});

test('a port that is held is named in one line', async () => {
  const other = newDataDir();
  try {
    const { code, output } = await runVirga({ dataDir: other, env: { PORT: new URL(virga.url).port } });
    expect(code).toBe(1);
    expect(output.trim().split('\n')).toHaveLength(1);
    expect(output).toContain(`Port ${new URL(virga.url).port}`);
  } finally {
    removeDataDir(other);
  }
});

test('after a kill -9 traffic goes on, and the next start takes over what is there', async () => {
  await virga.end('SIGKILL');
  expect(['one', 'two']).toContain(await ask());
  const before = haproxies();
  virga = await startVirga({ dataDir });
  expect((await read()).provisioning_status).toBe('ACTIVE');
  expect(['one', 'two']).toContain(await ask());
  expect(haproxies()).toEqual(before);
});

test('an HAProxy that is killed by hand is back by itself', async () => {
  for (const pid of haproxies()) process.kill(pid, 'SIGKILL');
  await waitUntil(async () => ['one', 'two'].includes(await ask()), {
    what: 'the traffic to flow again',
  });
});

test('a graceful stop leaves no process behind, and the next start brings the data plane back', async () => {
  expect(await virga.end('SIGTERM')).toBe(0);
  expect(processesWith(dataDir)).toEqual([]);
  await expect(ask()).rejects.toThrow();
  virga = await startVirga({ dataDir });
  expect(['one', 'two']).toContain(await ask());
});

test('a member that dies makes the load balancer DEGRADED, none alive makes it ERROR', async () => {
  const status = async () => String((await read()).operating_status);
  await waitUntil(async () => (await status()) === 'ONLINE', { what: 'ONLINE' });
  await close(members[0]);
  await waitUntil(async () => (await status()) === 'DEGRADED', { what: 'DEGRADED' });
  expect(await ask()).toBe('two');
  await close(members[1]);
  await waitUntil(async () => (await status()) === 'ERROR', { what: 'ERROR' });
});

async function close(server: Server | undefined): Promise<void> {
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
}

test('when a deletion is FINISHED, the port refuses and nothing is left', async () => {
  const task = await virga.ended(await virga.call('DELETE', `/cloud/v1/loadbalancers/1/1/${id}`));
  expect(task).toMatchObject({ state: 'FINISHED' });
  expect((await virga.call('GET', `/cloud/v1/loadbalancers/1/1/${id}`)).status).toBe(404);
  await expect(ask()).rejects.toThrow();
  expect(haproxies()).toEqual([]);
});
