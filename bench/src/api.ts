import { median, pairs, requestsPerSecond } from './measure.ts';
import { startPeer } from './peer.ts';
import { type BenchServer, fillLoadBalancers, startBenchServer } from './server.ts';

/** One line of the result. */
export interface Figure {
  readonly what: string;
  readonly value: string;
  readonly goal: string;
}

const PAIRS = 3;
const SECONDS = 4;

/** Reads: one task, a list of 100, the first page of many. */
export async function benchReads(): Promise<Figure[]> {
  const server = await startBenchServer();
  const peer = await startPeer(server.connection);
  try {
    const task = await createOne(server, 'first');
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
      { what: 'GET task, 50 connections, to bare Fastify and pg', value: ratio(one), goal: '≥ 0.8' },
      { what: 'list of 100 load balancers, to one bare statement', value: ratio(hundred), goal: '≥ 0.7' },
      {
        what: 'first page among 100,000, to the same among 1,000 (time)',
        value: page.ratio.toFixed(2),
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

const ratio = ({ a, b, ratio: r }: { a: number; b: number; ratio: number }) =>
  `${r.toFixed(2)} (${Math.round(a)} to ${Math.round(b)} /s)`;

async function createOne(server: BenchServer, name: string): Promise<string> {
  const reply = await server.virga.call('POST', '/cloud/v1/loadbalancers/1/2', { name });
  return (await server.virga.ended(reply)).id;
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

/** Writes: creations to FINISHED per second, and the time one takes when nothing else goes on. */
export async function benchWrites(): Promise<Figure[]> {
  const server = await startBenchServer();
  try {
    const idle: number[] = [];
    for (let i = 0; i < 30; i++) {
      const begin = performance.now();
      await createOne(server, `idle ${i}`);
      idle.push(performance.now() - begin);
    }
    const one = await creationRate(server, [1]);
    const projects = [1];
    for (let i = 0; i < 63; i++) {
      projects.push(
        (await server.virga.call('POST', '/cloud/v1/projects', { name: `project ${i}` })).body.id,
      );
    }
    const spread = await creationRate(server, projects);
    return [
      { what: 'accept to FINISHED, idle, p50', value: `${median(idle).toFixed(1)} ms`, goal: '≤ 20 ms' },
      { what: 'creations to FINISHED, one project', value: `${Math.round(one)} /s`, goal: '≥ 250 /s' },
      { what: 'creations to FINISHED, 64 projects', value: `${Math.round(spread)} /s`, goal: '≥ 400 /s' },
    ];
  } finally {
    await server.stop();
  }
}

const CREATIONS = 1500;
const SENDERS = 32;

async function creationRate(server: BenchServer, projects: readonly number[]): Promise<number> {
  await raiseQuota(server);
  let next = 0;
  const tasks: string[] = [];
  const begin = performance.now();
  const sender = async () => {
    for (let i = next++; i < CREATIONS; i = next++) {
      const project = projects[i % projects.length];
      const reply = await server.virga.call('POST', `/cloud/v1/loadbalancers/${project}/2`, {
        name: `lb ${i}`,
      });
      const id = reply.body.tasks?.[0];
      if (!id) throw new Error(`a creation was refused: ${JSON.stringify(reply.body)}`);
      tasks.push(id);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  const unfinished = async () =>
    (await server.virga.call('GET', '/cloud/v1/tasks?state=NEW&state=RUNNING&limit=1')).body.count as number;
  while ((await unfinished()) > 0);
  const seconds = (performance.now() - begin) / 1000;
  const { body } = await server.virga.call('GET', '/cloud/v1/tasks?state=ERROR&limit=1');
  if (body.count > 0) throw new Error(`${body.count} creations failed: ${body.results[0].error}`);
  return CREATIONS / seconds;
}

async function raiseQuota(server: BenchServer): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client(server.connection);
  await client.connect();
  await client.query(`update quota_counters set quota_limit = 1000000`);
  await client.end();
}
