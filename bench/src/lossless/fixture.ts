import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { makeCertificate, payloadOf } from '../../../server/src/features/secrets/testing/certificates.ts';
import { type BenchServer, startBenchServer } from '../server.ts';
import { ANSWER, type Site } from './load.ts';

/** A server of HTTP that a load balancer has as a member. */
export interface Member {
  readonly port: number;
  /** Ends at once, with every connection. */
  kill: () => Promise<void>;
}

/** A load balancer in front of real members, with everything that a change needs. */
export interface Fixture {
  readonly site: Site;
  readonly ids: Readonly<Record<'balancer' | 'http' | 'https' | 'pool', string>>;
  readonly members: readonly Member[];
  /** Two certificates that take turns. */
  readonly secrets: readonly string[];
  /** A change that must succeed.
   *  @returns what it created */
  change(method: string, path: string, body?: unknown): Promise<Readonly<Record<string, readonly string[]>>>;
  close(): Promise<void>;
}

const [PLAIN_PORT, SECURE_PORT] = [8088, 8443];

/** @param port of one that was killed, to come back there */
export async function startMember(port = 0): Promise<Member> {
  const connections = new Set<Socket>();
  const server = createServer((_request, response) => response.end(ANSWER));
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    kill: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}

export async function startFixture(): Promise<Fixture> {
  const server = await startBenchServer();
  const members = await Promise.all([startMember(), startMember(), startMember()]);
  const change = changer(server);
  const secrets: string[] = [];
  for (const name of ['one', 'two']) {
    const payload = payloadOf(await makeCertificate(['site.test']));
    secrets.push(first((await change('POST', '/cloud/v2/secrets/1/1', { name, payload })).secrets));
  }
  const made = await change('POST', '/cloud/v1/loadbalancers/1/1', { name: 'under load' });
  const balancer = first(made.loadbalancers);
  const listener = async (name: string, more: object) => {
    const body = { load_balancer_id: balancer, name, ...more };
    return first((await change('POST', '/cloud/v1/lblisteners/1/1', body)).listeners);
  };
  const http = await listener('http', { protocol: 'HTTP', protocol_port: PLAIN_PORT });
  const pool = first(
    (
      await change('POST', '/cloud/v1/lbpools/1/1', {
        name: 'app',
        protocol: 'HTTP',
        lb_algorithm: 'ROUND_ROBIN',
        listener_id: http,
        members: members.map(({ port }) => ({ address: '127.0.0.1', protocol_port: port })),
        healthmonitor: { type: 'HTTP', delay: 1, timeout: 1, max_retries: 1, url_path: '/' },
      })
    ).pools,
  );
  const https = await listener('https', {
    protocol: 'TERMINATED_HTTPS',
    protocol_port: SECURE_PORT,
    secret_id: secrets[0],
    default_pool_id: pool,
  });
  const { body } = await server.virga.call('GET', `/cloud/v1/loadbalancers/1/1/${balancer}`);
  const host = body.vip_address;
  return {
    site: { plain: `http://${host}:${PLAIN_PORT}/`, secure: `https://${host}:${SECURE_PORT}/` },
    ids: { balancer, http, https, pool },
    members,
    secrets,
    change,
    close: async () => {
      await server.stop();
      await Promise.all(members.map((member) => member.kill()));
    },
  };
}

export const first = (ids: readonly string[] | undefined): string => ids?.[0] ?? '';

function changer({ virga }: BenchServer): Fixture['change'] {
  return async (method, path, body) => {
    const reply = await virga.call(method, path, body);
    if (reply.status !== 200)
      throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    const task = await virga.ended(reply);
    if (task.state !== 'FINISHED') throw new Error(`${task.task_type}: ${task.error}`);
    return task.created_resources ?? {};
  };
}
