import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '../../harness/wait.ts';
import type { Lab, LabNode } from '../lab.ts';
import { kill } from './programs.ts';
import { REGION, type Tenant } from './tenant.ts';

/** What goes wrong meanwhile. */

export interface Fault {
  readonly name: string;
  readonly weight: number;
  /** What should be raised. */
  readonly alerts?: readonly string[];
  /** Nobody does anything meanwhile: databases and storages are away with their machine. */
  readonly alone?: true;
  run(scene: Scene, drawn: number): Promise<unknown>;
}

export interface Scene {
  readonly lab: Lab;
  /** Another worker of the first machine, which stands by. */
  readonly second: LabNode;
  readonly tenants: readonly Tenant[];
}

const FROZEN_MS = 3000;
const AWAY_MS = 6000;
const pick = <T>(all: readonly T[], drawn: number): T => all[drawn % all.length] as T;

async function replace(node: LabNode | undefined): Promise<void> {
  await node?.end('SIGKILL');
  await node?.start();
}

export const FAULTS: readonly Fault[] = [
  {
    name: 'an API node is killed and replaced',
    weight: 2,
    run: ({ lab }, drawn) => replace(pick(lab.apis, drawn)),
  },
  {
    name: 'a worker of the machine that serves the region is killed and replaced',
    weight: 3,
    run: ({ lab, second }, drawn) => replace(pick([lab.workers.get('machine-1'), second], drawn)),
  },
  {
    name: 'the worker of the other machine is killed and replaced',
    weight: 1,
    run: ({ lab }) => replace(lab.workers.get('machine-2')),
  },
  {
    name: 'all HAProxys of the region are killed',
    weight: 2,
    run: async ({ lab }) => {
      for (const pid of lab.programs('machine-1', REGION, 'load-balancers')) process.kill(pid, 'SIGKILL');
    },
  },
  {
    name: 'the PostgreSQL of a tenant is killed',
    weight: 3,
    run: async ({ tenants }, drawn) => {
      const having = tenants.flatMap(({ database }) => database ?? []);
      if (having.length > 0) kill(pick(having, drawn).id);
    },
  },
  {
    name: 'the S3 server of a tenant is killed',
    weight: 3,
    run: async ({ lab, tenants }, drawn) => {
      const having = tenants.flatMap(({ bucket }) => bucket ?? []);
      if (having.length > 0)
        kill(
          `${lab.dataDir('machine-1')}/regions/${REGION}/object-storage/storage-${pick(having, drawn).id}/`,
        );
    },
  },
  {
    name: 'the proxy is killed and replaced',
    weight: 2,
    run: async ({ lab }) => {
      await lab.proxy.end('SIGKILL');
      await lab.proxy.start();
    },
  },
  {
    name: 'the PostgreSQL of the cloud is frozen for 3 s',
    weight: 1,
    run: async ({ lab }) => {
      lab.primary.signal('SIGSTOP');
      await delay(FROZEN_MS);
      lab.primary.signal('SIGCONT');
    },
  },
  {
    name: 'the PostgreSQL of the cloud is killed, and started again after 6 s',
    weight: 1,
    alerts: ['VirgaDatabaseLost'],
    run: async ({ lab }) => {
      await lab.primary.end('SIGKILL');
      await delay(AWAY_MS);
      await lab.primary.start();
    },
  },
  {
    name: 'its replica is killed, and started again after 3 s',
    weight: 1,
    run: async ({ lab }) => {
      await lab.replica.end('SIGKILL');
      await delay(FROZEN_MS);
      await lab.replica.start();
    },
  },
  {
    name: 'the power of the machine that serves the region fails, until load balancers answer on the other one',
    weight: 1,
    alerts: ['VirgaNodeDown'],
    alone: true,
    run: async ({ lab, second, tenants }) => {
      lab.cutPower('machine-1');
      const serving = tenants.filter(({ suspended }) => suspended !== 'stopped');
      for (const tenant of serving) await tenant.waitFor(true);
      await lab.connect('machine-1');
      await lab.startWorker('machine-1');
      await second.start();
      await moveBack(lab);
      for (const tenant of serving) await tenant.waitFor(true);
    },
  },
];

/** The machine that serves the region at present. */
export async function servedBy(lab: Lab): Promise<string> {
  const { regions } = (await lab.operator.call('GET', '/virga/v1/nodes')).body;
  interface Own {
    readonly region_id: number;
    readonly served: boolean;
    readonly node: string;
  }
  const own = (regions as readonly Own[]).find(({ region_id }) => region_id === REGION);
  return own?.served ? own.node : '';
}

/** As an operator does it: the worker of the other machine is stopped, and started again. */
export async function moveBack(lab: Lab): Promise<void> {
  const other = lab.workers.get('machine-2');
  await other?.end('SIGTERM');
  await waitUntil(async () => (await servedBy(lab)) === 'machine-1', { what: 'the region to be back' });
  await other?.start();
}
