import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { withoutLists } from './cost-of-lists.ts';
import { type Figure, median, pairs, perSecond } from './measure.ts';
import { Sender } from './sender.ts';
import { type BenchServer, createLoadBalancer, raiseQuotas, startBenchServer } from './server.ts';

const IDLE = 40;
const WARM_UP = 400;
const CREATIONS = 1000;
const ROUNDS = 3;
const PAIRS = 5;
const SENDERS = 32;
const PROJECTS = 64;
const LOOK_EVERY_MS = 10;

/** Creations to FINISHED per second, and the time one takes when nothing else goes on. */
export async function benchWrites(): Promise<Figure[]> {
  const server = await startBenchServer();
  const client = new pg.Client(server.connection);
  await client.connect();
  try {
    await raiseQuotas(server.connection);
    const idle: number[] = [];
    for (let i = 0; i < IDLE; i++) {
      const begin = performance.now();
      await createLoadBalancer(server, `idle ${i}`);
      idle.push(performance.now() - begin);
    }
    const projects = await manyProjects(server);
    const rate = (among: readonly number[], count: number) => creationRate(server, client, among, count);
    await rate(projects, WARM_UP);
    const one: number[] = [];
    const many: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      one.push(await rate([1], CREATIONS));
      many.push(await rate(projects, CREATIONS));
    }
    const subnet = await makeSubnet(server);
    const inSubnet = await creationRate(server, client, [1], CREATIONS, { vip_subnet_id: subnet });
    const lists = await pairs(
      PAIRS,
      () => rate(projects, CREATIONS),
      async () => {
        const putBack = await withoutLists(client);
        try {
          return await rate(projects, CREATIONS);
        } finally {
          await putBack();
        }
      },
    );
    return [
      { what: 'accept to FINISHED, idle, p50', value: `${median(idle).toFixed(1)} ms`, goal: '≤ 20 ms' },
      {
        what: 'creations to FINISHED, one project',
        value: `${Math.round(median(one))} /s`,
        goal: '≥ 250 /s',
      },
      {
        what: `creations to FINISHED, ${PROJECTS} projects`,
        value: `${Math.round(median(many))} /s`,
        goal: '≥ 400 /s',
      },
      {
        what: 'creations to FINISHED in one subnet of a project',
        value: `${Math.round(inSubnet)} /s`,
        goal: '≥ 80 /s',
      },
      {
        what: 'the same in all projects, to without the indexes of lists',
        value: perSecond(lists),
        goal: '≥ 0.95',
      },
    ];
  } finally {
    await client.end();
    await server.stop();
  }
}

async function manyProjects(server: BenchServer): Promise<number[]> {
  const projects = [1];
  while (projects.length < PROJECTS) {
    const name = `project ${projects.length}`;
    projects.push((await server.virga.call('POST', '/cloud/v1/projects', { name })).body.id);
  }
  return projects;
}

async function makeSubnet(server: BenchServer): Promise<string> {
  const make = async (noun: string, body: object) => {
    const reply = await server.virga.call('POST', `/cloud/v1/${noun}/1/2`, { name: 'bench', ...body });
    return (await server.virga.ended(reply)).created_resources?.[noun]?.[0];
  };
  const network_id = await make('networks', { create_router: false });
  return String(await make('subnets', { network_id, cidr: '10.0.0.0/16' }));
}

async function creationRate(
  server: BenchServer,
  client: pg.Client,
  projects: readonly number[],
  count: number,
  body: object = {},
): Promise<number> {
  const senders = await Promise.all(
    Array.from({ length: SENDERS }, () => Sender.open(server.virga.url, server.headers)),
  );
  let next = 0;
  const begin = performance.now();
  await Promise.all(
    senders.map(async (sender) => {
      for (let i = next++; i < count; i = next++) {
        const project = projects[i % projects.length];
        await sender.post(`/cloud/v1/loadbalancers/${project}/2`, { name: `lb ${i}`, ...body });
      }
    }),
  );
  while ((await unfinished(client)) > 0) await delay(LOOK_EVERY_MS);
  const seconds = (performance.now() - begin) / 1000;
  for (const sender of senders) sender.close();
  const failed = (await server.virga.call('GET', '/cloud/v1/tasks?state=ERROR&limit=1')).body;
  if (failed.count > 0) throw new Error(`${failed.count} creations failed: ${failed.results[0].error}`);
  return count / seconds;
}

async function unfinished(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    'select count(*)::int as count from tasks_active where finished_at is null',
  );
  return rows[0].count;
}
