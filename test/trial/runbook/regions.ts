import { setTimeout as delay } from 'node:timers/promises';
import { clusterBody } from '../../harness/managed-postgresql.ts';
import { waitUntil } from '../../harness/wait.ts';
import { MACHINES, type Machine } from '../lab.ts';
import type { Attempt, Entry } from './attempt.ts';

/** Entries about what regions of machines run. */

/** Served by either machine, and by one machine alone until the operator names the other one. */
export const BOTH = 1;
export const ALONE = 3;
/** With few addresses, until the operator adds a range. */
const NARROW = 4;
const NARROW_ADDRESSES = 8;
const narrow = [{ range: '198.18.79.160/29', interface: 'eth0' }];
export const regionsOf = (node: Machine) => [
  {
    id: BOTH,
    name: 'Both',
    provider: 'local',
    nodes: ['machine-1', 'machine-2'],
    addresses: [{ range: '198.18.79.64/27', interface: 'eth0' }],
    external_services: ['postgresql', 'object_storage'],
  },
  { id: 2, name: 'Simulated', provider: 'simulated' },
  {
    id: ALONE,
    name: 'Alone',
    provider: 'local',
    node,
    addresses: [{ range: '198.18.79.128/27', interface: 'eth0' }],
  },
  { id: NARROW, name: 'Narrow', provider: 'local', node: 'machine-1', addresses: narrow },
];

/** Its owner looks every ten seconds at what is left. */
const LOOK_MS = 10_000;

interface Own {
  readonly region_id: number;
  readonly served: boolean;
  readonly node: Machine;
  readonly not_served_count: number;
  readonly not_served: readonly { readonly reason: string }[];
}

/** Who serves which region. */
const owners = async ({ lab }: Attempt): Promise<readonly Own[]> =>
  (await lab.operator.call('GET', '/virga/v1/nodes')).body.regions;

const nodeOf = async (attempt: Attempt, region: number): Promise<Machine | undefined> =>
  (await owners(attempt)).find(({ region_id }) => region_id === region)?.node;

const createNarrow = ({ as }: Attempt) =>
  as.call('POST', `/cloud/v1/loadbalancers/1/${NARROW}`, { name: 'narrow' });

interface Amount {
  readonly resource: string;
  readonly status: string;
}

/** What of the narrow region is short. */
async function short(attempt: Attempt, status: 'low' | 'full'): Promise<string> {
  const shown: readonly Amount[] = JSON.parse(await attempt.virga(`region get-capacity ${NARROW} -o json`));
  return shown.flatMap((each) => (each.status === status ? each.resource : [])).join(', ');
}

/** As the entries say: another range in the file, and nodes that read it. */
async function addRange({ lab }: Attempt, range: string): Promise<void> {
  narrow.push({ range, interface: 'eth0' });
  lab.saveRegions(regionsOf('machine-1'));
  for (const api of lab.apis) {
    await api.end('SIGTERM');
    await api.start();
  }
  await lab.workers.get('machine-1')?.end('SIGKILL');
  await lab.startWorker('machine-1');
}

export const regionEntries: readonly Entry[] = [
  {
    heading: 'VirgaRegionLow',
    fault: 'load balancers have most addresses of a region',
    alerts: ['VirgaRegionLow'],
    try: async (attempt) => {
      let made = 0;
      while ((await short(attempt, 'low')) === '' && made < NARROW_ADDRESSES) {
        await attempt.as.ended(await createNarrow(attempt));
        made += 1;
        await delay(LOOK_MS);
      }
      await attempt.alerts();
      const named = await short(attempt, 'low');
      const { status } = await createNarrow(attempt);
      await addRange(attempt, '198.18.79.168/29');
      await attempt.gone('VirgaRegionLow');
      return `${made} load balancers were made; \`get-capacity\` named ${named}; another creation was a ${status}; a range was added`;
    },
  },
  {
    heading: 'VirgaRegionFull',
    fault: 'load balancers have all addresses of a region',
    alerts: ['VirgaRegionFull'],
    try: async (attempt) => {
      const { as } = attempt;
      let [made, failed] = [0, 0];
      const create = async () => {
        const answer = await createNarrow(attempt);
        if (answer.status !== 200) return answer;
        if ((await as.ended(answer)).state === 'FINISHED') made += 1;
        else failed += 1;
        return answer;
      };
      let answer = await create();
      while (answer.status === 200) answer = await create();
      const [had, refused] = [made, failed];
      await attempt.alerts();
      const named = await short(attempt, 'full');
      await addRange(attempt, '198.18.79.176/29');
      await attempt.recovered('another load balancer', async () => {
        await create();
        return made > had;
      });
      return `${had} load balancers were made, ${refused} tasks of others failed before it was noticed, and then a creation was a ${answer.status}; \`get-capacity\` named ${named}; a range was added`;
    },
  },
  {
    heading: 'HAProxy is gone',
    fault: 'all HAProxys of a region are killed',
    alerts: [],
    try: async (attempt) => {
      const { lab } = attempt;
      const machine = (await nodeOf(attempt, BOTH)) ?? 'machine-1';
      const pids = lab.programs(machine, BOTH, 'load-balancers');
      for (const pid of pids) process.kill(pid, 'SIGKILL');
      await attempt.recovered('the load balancer to answer', () => attempt.answers());
      const served = (await owners(attempt)).every((own) => own.served) ? 'all' : 'not all';
      const engines = JSON.parse(await attempt.virga('engine list -o json')).length;
      return `${pids.length} programs were started again by themselves; \`/virga/v1/nodes\` said that ${served} regions are served, \`engine list\` named ${engines} engines`;
    },
  },
  {
    heading: 'VirgaResourcesNotServed',
    fault: 'the power of the machine that has a database fails, and the region moves',
    alerts: ['VirgaResourcesNotServed'],
    try: async (attempt) => {
      const { lab, as } = attempt;
      await as.call('PUT', `/cloud/v1/dbaas/status/1/${BOTH}`, { is_initialized: true });
      const body = { ...clusterBody('stays'), flavor: { cpu: 1, memory_gib: 1 } };
      await as.ended(await as.call('POST', `/cloud/v1/dbaas/postgres/clusters/1/${BOTH}`, body));
      const [lost, other] = (await nodeOf(attempt, BOTH)) === 'machine-1' ? MACHINES : MACHINES.toReversed();
      if (lost === undefined || other === undefined) throw new Error('nobody serves the region');
      lab.cutPower(lost);
      await attempt.alerts();
      const own = (await owners(attempt)).find(({ region_id }) => region_id === BOTH);
      const listed: readonly unknown[] = JSON.parse(await attempt.virga('node list -o json'));
      await lab.connect(lost);
      await lab.startWorker(lost);
      await lab.workers.get(other)?.end('SIGTERM');
      await attempt.gone('VirgaResourcesNotServed');
      await lab.startWorker(other);
      const reasons = new Set(own?.not_served.map(({ reason }) => reason));
      return `\`/virga/v1/nodes\` named ${own?.not_served_count} with \`${[...reasons].join('`, `')}\`, \`node list\` ${listed.length} nodes; the machine came back, and the worker of the other one was stopped for a moment`;
    },
  },
  {
    heading: 'The machine of a region is lost',
    fault: 'the power of a machine that serves two regions fails, one of them with `nodes`',
    alerts: ['VirgaRegionWithoutOwner', 'VirgaNodeDown'],
    try: async (attempt) => {
      const { lab } = attempt;
      const lost = 'machine-1';
      const answer = await attempt.as.call('POST', `/cloud/v1/loadbalancers/1/${ALONE}`, lab.web('alone'));
      const made = (await attempt.as.ended(answer)).created_resources.loadbalancers[0];
      const one = await attempt.as.call('GET', `/cloud/v1/loadbalancers/1/${ALONE}/${made}`);
      const url = lab.webUrl(one.body.vip_address);
      await waitUntil(() => attempt.answers(url), { what: 'the load balancer to answer' });

      lab.cutPower(lost);
      await attempt.alerts();
      await waitUntil(() => attempt.answers(), { what: 'the region of two machines to move' });
      // As the entry says: another machine in the file, and a worker that reads it.
      lab.saveRegions(regionsOf('machine-2'));
      await lab.workers.get('machine-2')?.end('SIGTERM');
      await lab.startWorker('machine-2');
      await attempt.recovered('the load balancer at its address', () => attempt.answers(url));
      const { body } = await attempt.as.call('GET', `/cloud/v1/loadbalancers/1/${ALONE}/${made}`);
      const same = body.vip_address === one.body.vip_address ? 'the same address' : 'another address';

      await lab.connect(lost);
      await lab.startWorker(lost);
      return `the region with \`nodes\` moved by itself; the other one came up on the other machine with ${same}`;
    },
  },
];
