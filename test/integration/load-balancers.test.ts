import { readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { webBalancer } from '../harness/balancer.ts';
import { startLocalServer } from '../harness/regions.ts';
import { shared } from '../harness/shared.ts';
import { waitUntil } from '../harness/wait.ts';

/** One load balancer from its creation to its deletion, through the API, PostgreSQL and a real HAProxy. */

const LBS = '/cloud/v1/loadbalancers/1/1';
const PORT = 8088;

const server = shared(startLocalServer);
let members: Member[];

beforeAll(async () => {
  members = await Promise.all([startMember('one'), startMember('two')]);
});

afterAll(async () => {
  await Promise.all(members.map((member) => member.stop()));
});

interface Member {
  readonly port: number;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A web server that answers with its name, and can be stopped and started on its port. */
async function startMember(name: string): Promise<Member> {
  const web = http.createServer((_request, response) => response.end(name));
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      web.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
  await listen(0);
  const { port } = web.address() as AddressInfo;
  return {
    port,
    start: () => listen(port),
    stop: () =>
      new Promise((resolve) => {
        web.close(() => resolve());
        web.closeAllConnections();
      }),
  };
}

const body = () =>
  webBalancer(
    PORT,
    members.map(({ port }) => port),
  );

/** Processes whose command line names the load balancer. */
function processesOf(id: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(path.join('/proc', pid, 'cmdline'), 'utf8').includes(id);
      } catch {
        return false;
      }
    })
    .map(Number);
}

test('a load balancer carries traffic, says how its members are, comes back, and goes for good', async () => {
  const [one, two] = members;
  const task = await server.ended(await server.call('POST', LBS, { body: body() }));
  expect(task).toMatchObject({ state: 'FINISHED', error: null });
  const id = String(task.created_resources?.loadbalancers?.[0]);
  const read = async (query = '') => (await server.call('GET', `${LBS}/${id}${query}`)).body;
  const status = (expected: string) =>
    waitUntil(async () => (await read()).operating_status === expected, { what: expected });
  const url = `http://${(await read()).vip_address}:${PORT}/`;
  const answer = async () => (await fetch(url, { headers: { connection: 'close' } })).text();

  const answers = new Set([await answer(), await answer(), await answer(), await answer()]);
  expect([...answers].sort()).toEqual(['one', 'two']);
  expect(await read()).toMatchObject({ operating_status: 'ONLINE', provisioning_status: 'ACTIVE' });

  await one?.stop();
  await status('DEGRADED');
  expect(await answer()).toBe('two');
  await two?.stop();
  await status('ERROR');
  await Promise.all([one?.start(), two?.start()]);
  await status('ONLINE');
  const counted = await waitUntil(
    async () => {
      const { stats } = await read('?show_stats=true');
      return stats.total_connections >= 5 ? stats : undefined;
    },
    { what: 'the counters' },
  );
  expect(counted.bytes_out).toBeGreaterThan(0);

  const killed = processesOf(id);
  expect(killed.length).toBeGreaterThan(0);
  for (const pid of killed) process.kill(pid, 'SIGKILL');
  await waitUntil(answer, { what: 'a new process to answer' });

  const change = async (admin_state_up: boolean) => {
    const path = `/cloud/v2/loadbalancers/1/1/${id}`;
    return server.ended(await server.call('PATCH', path, { body: { admin_state_up } }));
  };
  expect(await change(false)).toMatchObject({ state: 'FINISHED' });
  await expect(answer()).rejects.toThrow();
  expect(await read()).toMatchObject({ operating_status: 'OFFLINE', admin_state_up: false });
  expect(await change(true)).toMatchObject({ state: 'FINISHED' });
  expect(['one', 'two']).toContain(await answer());

  expect(await server.ended(await server.call('DELETE', `${LBS}/${id}`))).toMatchObject({
    state: 'FINISHED',
  });
  await expect(answer()).rejects.toThrow();
  expect((await server.call('GET', `${LBS}/${id}`)).status).toBe(404);
  await waitUntil(() => processesOf(id).length === 0, { what: 'its processes to end' });
});
