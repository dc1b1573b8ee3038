import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { newDataDir, removeDataDir, startVirga, type VirgaProcess } from '../../test/harness/process.ts';
import { type Figure, median } from './measure.ts';
import {
  type BenchServer,
  connectionOf,
  fillLoadBalancers,
  raiseQuotas,
  startBenchServer,
} from './server.ts';

const BALANCERS = 200;
const SENDERS = 8;
const PORT = 8088;

/** Many load balancers with traffic on one machine: how fast they come, what they take, how fast they come back. */
export async function benchBalancers(): Promise<Figure[]> {
  const dataDir = newDataDir();
  const env = { VIRGA_RATE_LIMIT: '0' };
  let virga = await startVirga({ dataDir, env });
  try {
    await raiseQuotas(connectionOf(dataDir));
    const begin = performance.now();
    const addresses = await createAll(virga);
    const creation = (performance.now() - begin) / 1000;
    await allAnswer(addresses);
    const memory = memoryOf(dataDir);
    await virga.end('SIGTERM');
    const stopped = performance.now();
    virga = await startVirga({ dataDir, env });
    const ready = (performance.now() - stopped) / 1000;
    await allAnswer(addresses);
    const back = (performance.now() - stopped) / 1000;
    return [
      {
        what: `${BALANCERS} load balancers with traffic, creations to FINISHED`,
        value: `${(BALANCERS / creation).toFixed(1)} /s`,
        goal: '—',
      },
      {
        what: 'memory of their data planes, each',
        value: `${(memory / BALANCERS / 1024).toFixed(1)} MiB proportional`,
        goal: '—',
      },
      {
        what: 'a start that brings all of them back: ready, all answering',
        value: `${ready.toFixed(1)} s, ${back.toFixed(1)} s`,
        goal: '—',
      },
    ];
  } finally {
    await virga.end('SIGTERM');
    removeDataDir(dataDir);
  }
}

async function createAll(virga: VirgaProcess): Promise<string[]> {
  const addresses: string[] = [];
  let next = 0;
  const sender = async () => {
    for (let i = next++; i < BALANCERS; i = next++) {
      const listeners = [{ name: 'http', protocol: 'PROMETHEUS', protocol_port: PORT }];
      const reply = await virga.call('POST', '/cloud/v1/loadbalancers/1/1', { name: `lb ${i}`, listeners });
      const task = await virga.ended(reply);
      if (task.state !== 'FINISHED') throw new Error(`a creation failed: ${task.error}`);
      const id = task.created_resources?.loadbalancers?.[0];
      const { body } = await virga.call('GET', `/cloud/v1/loadbalancers/1/1/${id}`);
      addresses.push(body.vip_address);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  return addresses;
}

/** Waits until every load balancer answers a request. */
async function allAnswer(addresses: readonly string[]): Promise<void> {
  for (const address of addresses) {
    for (;;) {
      const answer = await fetch(`http://${address}:${PORT}/metrics`).catch(() => undefined);
      await answer?.arrayBuffer();
      if (answer?.status === 200) break;
    }
  }
}

/** KiB of memory of the HAProxy processes of a data directory; what they share counts once. */
function memoryOf(dataDir: string): number {
  let total = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (!words.includes('haproxy') || !words.includes(dataDir)) continue;
      total += Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      // It has just ended.
    }
  }
  return total;
}

const ORDERED = [
  'created_at',
  'flavor',
  'name',
  'operating_status',
  'provisioning_status',
  'updated_at',
  'vip_address',
  'vip_ip_family',
];
const MANY = 100_000;
const REQUESTS = 31;

/** Query and condition of each filter; all but the last find some of the load balancers. */
const FILTERS: readonly (readonly [string, string])[] = [
  ['name=lb 777', "name = 'lb 777'"],
  ['operating_status=ONLINE', "operating_status = 'ONLINE'"],
  ['operating_status=ERROR', "operating_status = 'ERROR'"],
  ['provisioning_status=ACTIVE', "provisioning_status = 'ACTIVE'"],
  ['provisioning_status=ERROR', "provisioning_status = 'ERROR'"],
  ['logging_enabled=true', 'logging_enabled'],
  ['logging_enabled=false', 'not logging_enabled'],
  ['assigned_floating=true', 'assigned_floating'],
  ['assigned_floating=false', 'not assigned_floating'],
  ['tag_key=team', "tags ?& '{team}' and tags <> '{}'"],
  ['tag_key_value={"team":"a"}', `tags @> '{"team": {"value": "a"}}' and tags <> '{}'`],
];

/** The first page of 100,000 load balancers with three listeners each, in every order and with every filter. */
export async function benchLists(): Promise<Figure[]> {
  const server = await startBenchServer();
  const client = new pg.Client(server.connection);
  await client.connect();
  try {
    const { body: project } = await server.virga.call('POST', '/cloud/v1/projects', { name: 'many' });
    await fillLoadBalancers(server.connection, project.id, MANY);
    await vary(client, project.id);
    const figures: Figure[] = [];
    const measure = async (query: string, condition: string, order: string) => {
      const path = `/cloud/v1/loadbalancers/${project.id}/2?limit=100&${query}`;
      const ms = await firstPage(server, path);
      const plan = await planOf(client, project.id, condition, order);
      figures.push({ what: `${query}: ${plan}`, value: `${ms.toFixed(1)} ms`, goal: '≤ 50 ms' });
    };
    for (const field of ORDERED) {
      for (const direction of ['asc', 'desc']) {
        const order = `${field} ${direction} nulls last, id ${direction}`;
        const exact = ['flavor', 'updated_at', 'vip_address', 'vip_ip_family'].includes(field);
        await measure(
          `order_by=${field}.${direction}`,
          'true',
          exact ? order : order.replace(' nulls last', ''),
        );
      }
    }
    for (const [query, condition] of FILTERS) {
      await measure(encodeURI(query), condition, 'created_at desc, id desc');
    }
    return figures;
  } finally {
    await client.end();
    await server.stop();
  }
}

/** Makes the rows differ in what is sorted and filtered by: one in a hundred is rare in each way. */
async function vary(client: pg.Client, projectId: number): Promise<void> {
  await client.query(
    `with numbered as (select id, row_number() over (order by id) as n from load_balancers where project_id = $1)
     update load_balancers lb
        set operating_status = case when n % 100 = 1 then 'ERROR' else 'ONLINE' end,
            provisioning_status = case when n % 100 = 2 then 'ERROR' else 'ACTIVE' end,
            logging_enabled = n % 100 = 3, assigned_floating = n % 100 = 4,
            tags = case when n % 100 = 5 then '{"team": {"value": "a", "read_only": false}}'::jsonb else '{}' end,
            flavor = case when n % 3 = 0 then 'lb1-2-4' end, updated_at = case when n % 2 = 0 then lb.created_at end,
            vip_address = ('10.0.0.0'::inet + n), vip_ip_family = 'ipv4'
       from numbered where numbered.id = lb.id`,
    [projectId],
  );
  await client.query('vacuum analyze load_balancers');
}

/** Median milliseconds of one request after the other. */
async function firstPage(server: BenchServer, path: string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < REQUESTS; i++) {
    const begin = performance.now();
    const response = await fetch(`${server.virga.url}${path}`, { headers: server.headers });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
    times.push(performance.now() - begin);
  }
  return median(times);
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** How PostgreSQL finds a page: its nodes from the outside in, with the indexes. */
async function planOf(
  client: pg.Client,
  projectId: number,
  condition: string,
  order: string,
): Promise<string> {
  const { rows } = await client.query(
    `explain (format json) select * from load_balancers
      where project_id = ${projectId} and region_id = 2 and ${condition} order by ${order} limit 100`,
  );
  const describe = (node: PlanNode): string[] => [
    `${node['Node Type']}${node['Index Name'] ? ` ${node['Index Name']}` : ''}`,
    ...(node.Plans ?? []).flatMap(describe),
  ];
  return describe(rows[0]['QUERY PLAN'][0].Plan)
    .filter((node) => node !== 'Limit')
    .join(' < ');
}
