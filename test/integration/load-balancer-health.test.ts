import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { RuntimeSocket } from '../../server/src/providers/local/load-balancers/runtime-socket.ts';
import {
  sharedBackend,
  startBackend,
} from '../../server/src/providers/local/load-balancers/test-support/backend.ts';
import { finished } from '../harness/project.ts';
import { startLocalServer } from '../harness/regions.ts';
import { shared } from '../harness/shared.ts';
import { waitUntil } from '../harness/wait.ts';

/** The API says what HAProxy found out. */

const LBS = '/cloud/v1/loadbalancers/1/1';
const ROUNDS = 3;

const server = shared(startLocalServer);
const stays = sharedBackend('stays');

/** Path of the command socket of the HAProxy that serves a load balancer. */
function socketOf(id: string): string {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const words = readFileSync(path.join('/proc', pid, 'cmdline'), 'utf8').split('\0');
      const file = words[words.indexOf('-f') + 1] ?? '';
      if (!file.includes(id)) continue;
      const found = /stats socket "?([^" ]+)/.exec(readFileSync(file, 'utf8'))?.[1];
      if (found) return found;
    } catch {
      // Not a process of ours, or one that is just ending.
    }
  }
  throw new Error(`nothing serves ${id}`);
}

test('a member, its pool and its load balancer follow the verdict of HAProxy, each time', async () => {
  let mortal = await startBackend('mortal');
  const { port } = mortal;
  const members = [stays, mortal].map((backend) => ({ address: '127.0.0.1', protocol_port: backend.port }));
  const healthmonitor = { type: 'TCP', delay: 1, timeout: 1, max_retries: 1, max_retries_down: 1 };
  const pool = { name: 'app', protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN', members, healthmonitor };
  const listener = { name: 'http', protocol: 'HTTP', protocol_port: 8088, pools: [pool] };
  const task = await server.ended(
    await server.call('POST', LBS, { body: { name: 'web', listeners: [listener] } }),
  );
  expect(task).toMatchObject({ state: 'FINISHED', error: null });
  const id = String(task.created_resources?.loadbalancers?.[0]);
  const socket = new RuntimeSocket(socketOf(id));
  const verdict = (down: boolean) =>
    waitUntil(async () => (await socket.command('show stat')).includes(',DOWN,') === down, {
      what: `HAProxy's verdict that a member is ${down ? 'down' : 'up'}`,
      intervalMs: 5,
    });
  const shown = (expected: readonly string[]) =>
    waitUntil(
      async () => {
        const { body } = await server.call('GET', `${LBS}/${id}/status`);
        const [{ operating_status, members: seen }] = body.listeners[0].pools;
        const dead = seen.find((member: { protocol_port: number }) => member.protocol_port === port);
        const all = [body.operating_status, operating_status, dead.operating_status];
        return all.join() === expected.join();
      },
      { what: expected.join(), intervalMs: 5 },
    );
  await shown(['ONLINE', 'ONLINE', 'ONLINE']);
  for (let round = 0; round < ROUNDS; round += 1) {
    await mortal.kill();
    await verdict(true);
    await shown(['DEGRADED', 'DEGRADED', 'ERROR']);
    mortal = await startBackend('mortal', port);
    await verdict(false);
    await shown(['ONLINE', 'ONLINE', 'ONLINE']);
  }
  socket.close();
  await mortal.kill();
  await finished(server, server.call('DELETE', `${LBS}/${id}`));
});
