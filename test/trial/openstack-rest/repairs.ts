import { setTimeout as delay } from 'node:timers/promises';
import { behind } from '../../openstack/calls.ts';

/** What somebody does in the cloud by hand, and how long it lasts. */

const EVERY_MS = 250;
const LONGEST_MS = 300_000;

interface Balancer {
  readonly id: string;
  readonly provisioning_status: string;
  readonly listeners: readonly { readonly id: string }[];
}

async function balancerOf(id: string): Promise<Balancer | undefined> {
  const { loadbalancers } = await behind('load-balancer', 'GET', `/loadbalancers?tags=virga:${id}`);
  return loadbalancers[0];
}

async function theBalancer(id: string): Promise<Balancer> {
  const found = await balancerOf(id);
  if (!found?.listeners[0]) throw new Error(`load balancer ${id} has no listener in the cloud`);
  return found;
}

/** @returns milliseconds until it is so */
async function until(what: string, isSo: () => Promise<boolean>): Promise<number> {
  const began = performance.now();
  while (!(await isSo())) {
    if (performance.now() - began > LONGEST_MS) throw new Error(`timed out waiting for ${what}`);
    await delay(EVERY_MS);
  }
  return performance.now() - began;
}

const isWhole = (found: Balancer | undefined, before: Balancer, isNew: (found: Balancer) => boolean) =>
  found?.provisioning_status === 'ACTIVE' &&
  found.listeners.length === before.listeners.length &&
  isNew(found);

/** Each takes the id of a load balancer with a listener, breaks it, and returns after how many milliseconds it is as it
 *  was. */
export const REPAIRS: readonly (readonly [what: string, breakAndWait: (id: string) => Promise<number>])[] = [
  [
    'another limit of connections',
    async (id) => {
      const { listeners } = await theBalancer(id);
      const path = `/listeners/${listeners[0]?.id}`;
      const limit = async () => (await behind('load-balancer', 'GET', path)).listener.connection_limit;
      const before = await limit();
      await behind('load-balancer', 'PUT', path, { listener: { connection_limit: 7 } });
      return until('the limit', async () => (await limit()) === before);
    },
  ],
  [
    'a listener deleted',
    async (id) => {
      const before = await theBalancer(id);
      await behind('load-balancer', 'DELETE', `/listeners/${before.listeners[0]?.id}`);
      return until('the listener', async () =>
        isWhole(await balancerOf(id), before, (found) => found.listeners[0]?.id !== before.listeners[0]?.id),
      );
    },
  ],
  [
    'a load balancer deleted',
    async (id) => {
      const before = await theBalancer(id);
      await behind('load-balancer', 'DELETE', `/loadbalancers/${before.id}?cascade=true`);
      return until('the load balancer', async () =>
        isWhole(await balancerOf(id), before, (found) => found.id !== before.id),
      );
    },
  ],
];
