import { type Figure, median, pairs, perSecond, requestsPerSecond } from './measure.ts';
import { startPeer } from './peer.ts';
import { type BenchServer, createLoadBalancer, fillLoadBalancers, startBenchServer } from './server.ts';

const PAIRS = 5;
const SECONDS = 3;

/** Reads: one task, a list of 100, the first page of many. */
export async function benchReads(): Promise<Figure[]> {
  const server = await startBenchServer();
  const peer = await startPeer(server.connection);
  try {
    const task = await createLoadBalancer(server, 'first');
    await fillLoadBalancers(server.connection, 1, 999);
    const ours = (path: string) => () =>
      requestsPerSecond(`${server.virga.url}${path}`, {
        connections: 50,
        seconds: SECONDS,
        headers: server.headers,
      });
    const theirs = (path: string) => () =>
      requestsPerSecond(`${peer.url}${path}`, { connections: 50, seconds: SECONDS });
    const one = await pairs(PAIRS, ours(`/cloud/v1/tasks/${task}`), theirs(`/task/${task}`));
    const list = '/cloud/v1/loadbalancers/1/2?limit=100';
    const hundred = await pairs(PAIRS, ours(list), theirs('/load-balancers'));
    const { body: project } = await server.virga.call('POST', '/cloud/v1/projects', { name: 'many' });
    await fillLoadBalancers(server.connection, project.id, 100_000);
    const many = `/cloud/v1/loadbalancers/${project.id}/2?limit=100`;
    const single = (path: string) => () => latency(server, path);
    const page = await pairs(PAIRS, single(many), single(list));
    const listeners = await latency(server, `/cloud/v1/lblisteners/${project.id}/2?limit=100`);
    return [
      {
        what: 'GET task, 50 connections, to bare Fastify and pg on the same row',
        value: perSecond(one),
        goal: '≥ 0.8',
      },
      {
        what: 'list of 100 load balancers with listeners and count, to one bare statement',
        value: perSecond(hundred),
        goal: '≥ 0.7',
      },
      {
        what: 'first page among 100,000, to the same among 1,000 (time)',
        value: `${page.ratio.toFixed(2)} (${page.a.toFixed(1)} to ${page.b.toFixed(1)} ms)`,
        goal: '≤ 1.5',
      },
      {
        what: 'first page of 100 among 300,000 listeners, p50',
        value: `${listeners.toFixed(1)} ms`,
        goal: '≤ 50 ms',
      },
    ];
  } finally {
    await peer.stop();
    await server.stop();
  }
}

/** Median milliseconds of one request after the other. */
async function latency(server: BenchServer, path: string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 60; i++) {
    const begin = performance.now();
    const response = await fetch(`${server.virga.url}${path}`, { headers: server.headers });
    await response.arrayBuffer();
    times.push(performance.now() - begin);
  }
  return median(times);
}
