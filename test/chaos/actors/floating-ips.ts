import { type Actor, SIMULATED } from './actor.ts';
import { emptyBalancer, LBS } from './empty-balancer.ts';

const FIPS = `/cloud/v1/floatingips/1/${SIMULATED}`;

/** Gives a load balancer a floating IP, and removes it again. */
export const floatingIps: Actor = {
  weight: 2,
  async live(client, number) {
    const lb = await emptyBalancer(client, `carrier ${number}`);
    if (lb === undefined) return;
    const { vip_port_id: port_id } = (await client.read(`${LBS}/${lb}`)).body;
    const at = (id: string) => `${FIPS}/${id}`;
    const id = await client.create(FIPS, { port_id }, 'floatingips', at, { port_id, task_id: null });
    if (id === undefined) return;
    const unassign = ['PATCH', at(id).replace('/v1/', '/v2/'), { port_id: null }] as const;
    const free = { port_id: null, task_id: null };
    if (client.random() < 0.5 && !(await client.change(unassign, at(id), free))) return;
    await client.maybeRemove(at(id));
  },
  all: [{ list: FIPS, one: ({ id }) => `${FIPS}/${id}` }],
};
