import type { ChaosClient } from '../client.ts';
import { type Actor, regionOf, SETTLED, v2 } from './actor.ts';

/** Nobody listens there: what leads there answers 503. */
const members = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ address: '127.0.0.1', protocol_port: 1 + i }));

const MONITOR = { type: 'TCP', delay: 2, timeout: 1, max_retries: 2 };

/** Pools with members and health monitors come, change and go; every fourth time in a real HAProxy. */
export const pools: Actor = {
  weight: 4,
  async live(client, number) {
    const region = regionOf(number, 1);
    const listener = await listenerOf(client, region, `pools ${number}`);
    if (listener === undefined) return;
    const all = `/cloud/v1/lbpools/1/${region}`;
    const at = (id: string) => `${all}/${id}`;
    const body = { listener_id: listener, name: 'app', protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN' };
    const truth = { ...SETTLED, 'members.length': 1 };
    const created = { ...body, members: members(1) };
    const id = await client.create(all, created, 'pools', at, truth);
    if (id === undefined) return;
    const pool = at(id);
    const patch = { lb_algorithm: 'LEAST_CONNECTIONS', members: members(3) };
    const steps: readonly (readonly [number, readonly [string, string, unknown], object])[] = [
      [0.6, ['POST', `${pool}/member`, members(2)[1]], { 'members.length': 2 }],
      [0.6, ['POST', `${pool}/healthmonitor`, MONITOR], { 'healthmonitor.type': 'TCP' }],
      [0.6, ['PATCH', v2(pool), patch], { 'members.length': 3, lb_algorithm: 'LEAST_CONNECTIONS' }],
    ];
    let now = truth;
    for (const [likely, write, after] of steps) {
      if (client.random() > likely) continue;
      now = { ...now, ...after };
      if (!(await client.change(write, pool, now))) return;
    }
    await client.maybeRemove(pool);
  },
  all: [],
};

/** The listener of a new load balancer. */
export async function listenerOf(
  client: ChaosClient,
  region: number,
  name: string,
): Promise<string | undefined> {
  const all = `/cloud/v1/loadbalancers/1/${region}`;
  const body = { name, listeners: [{ name: 'http', protocol: 'HTTP', protocol_port: 8088 }] };
  const at = (id: string) => `${all}/${id}`;
  const id = await client.create(all, body, 'loadbalancers', at, { provisioning_status: 'ACTIVE' });
  return id === undefined ? undefined : (await client.read(at(id))).body.listeners[0].id;
}
