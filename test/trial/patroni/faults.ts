import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '../../harness/wait.ts';
import type { LabNode } from '../lab.ts';
import type { TrialLoad } from '../load.ts';
import { MACHINES, type PatroniCluster } from './cluster.ts';

/** What goes wrong in an installation on several machines. */

export interface Scene {
  readonly cluster: PatroniCluster;
  readonly apis: readonly LabNode[];
  readonly workers: readonly LabNode[];
  readonly load: TrialLoad;
}

export interface Fault {
  readonly name: string;
  /** So many seconds may pass without a write that is acknowledged. */
  readonly atMost: number;
  run(scene: Scene): Promise<unknown>;
}

const AWAY_MS = 5000;
/** Longer than Patroni keeps a primary that it does not hear of. */
const LONG_MS = 30_000;
/** Nobody has to take over. */
const SOON = 10;
/** Patroni has to notice, to choose and to promote. */
const TAKE_OVER = 60;

/** Waits for a write that is acknowledged from now on. */
function written({ load }: Scene): Promise<unknown> {
  const since = performance.now();
  return waitUntil(() => (load.writes.at(-1) ?? 0) > since, { what: 'a write' });
}

/** As systemd does it. */
async function killAndStart(node: LabNode | undefined): Promise<void> {
  await node?.end('SIGKILL');
  await delay(AWAY_MS);
  await node?.start();
}

export const FAULTS: readonly Fault[] = [
  { name: 'nothing', atMost: SOON, run: () => delay(2 * AWAY_MS) },
  {
    name: 'an API node is killed, and started again after 5 s',
    atMost: SOON,
    run: ({ apis }) => killAndStart(apis[0]),
  },
  {
    name: 'a worker is killed, and started again after 5 s',
    atMost: SOON,
    run: ({ workers }) => killAndStart(workers[0]),
  },
  {
    name: 'the etcd of the primary’s machine is killed, and started again after 30 s',
    atMost: SOON,
    run: async ({ cluster }) => {
      const machine = await cluster.primary();
      cluster.killEtcd(machine);
      await delay(LONG_MS);
      cluster.startEtcd(machine);
    },
  },
  {
    name: 'two of three etcds are killed, and started again after 30 s',
    atMost: SOON,
    run: async ({ cluster }) => {
      const machines = MACHINES.slice(0, 2);
      for (const machine of machines) cluster.killEtcd(machine);
      await delay(LONG_MS);
      for (const machine of machines) cluster.startEtcd(machine);
    },
  },
  {
    name: 'the replica that confirms commits is killed',
    atMost: TAKE_OVER,
    run: async (scene) => {
      const { cluster } = scene;
      const machine = await cluster.confirming();
      await cluster.killDatabase(machine);
      await written(scene);
      cluster.startPatroni(machine);
    },
  },
  {
    name: 'the replica that confirms commits is cut off, and healed',
    atMost: TAKE_OVER,
    run: async (scene) => {
      const { cluster } = scene;
      const machine = await cluster.confirming();
      cluster.link(machine, 'down');
      await delay(LONG_MS);
      await written(scene);
      cluster.link(machine, 'up');
    },
  },
  {
    name: 'the primary is handed over, as before maintenance',
    atMost: TAKE_OVER,
    run: async ({ cluster }) => cluster.switchOver(await cluster.primary()),
  },
  {
    name: 'PostgreSQL of the primary is killed; its Patroni lives',
    atMost: TAKE_OVER,
    run: async ({ cluster }) => {
      const machine = await cluster.primary();
      await cluster.killPostgres(machine);
      await cluster.primary(machine);
    },
  },
  {
    name: 'PostgreSQL and Patroni of the primary are killed',
    atMost: TAKE_OVER,
    run: async (scene) => {
      const { cluster } = scene;
      const machine = await cluster.primary();
      await cluster.killDatabase(machine);
      await cluster.primary(machine);
      await written(scene);
      cluster.startPatroni(machine);
    },
  },
  {
    name: 'Patroni of the primary is frozen, until after another one has taken over',
    atMost: TAKE_OVER,
    run: async (scene) => {
      const { cluster } = scene;
      const machine = await cluster.primary();
      cluster.signalPatroni(machine, 'SIGSTOP');
      await cluster.primary(machine);
      await written(scene);
      cluster.signalPatroni(machine, 'SIGCONT');
    },
  },
  {
    name: 'the primary is cut off, and healed after another one has taken over',
    atMost: TAKE_OVER,
    run: async (scene) => {
      const { cluster } = scene;
      const machine = await cluster.primary();
      cluster.link(machine, 'down');
      await cluster.primary(machine);
      await written(scene);
      await delay(AWAY_MS);
      cluster.link(machine, 'up');
    },
  },
];
