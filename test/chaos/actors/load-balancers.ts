import { type Actor, LOCAL, SIMULATED } from './actor.ts';

const all = (region: number) => `/cloud/v1/loadbalancers/1/${region}`;

/** Creates, renames, resizes, fails over and deletes. Every eighth one is real: an HAProxy of the local region. */
export const loadBalancers: Actor = {
  weight: 5,
  async live(client, number) {
    const region = number % 8 === 0 ? LOCAL : SIMULATED;
    const name = `chaos ${number}`;
    const body = { name, listeners: [{ name: 'http', protocol: 'HTTP', protocol_port: 8088 }] };
    const at = (id: string) => `${all(region)}/${id}`;
    const settled = { provisioning_status: 'ACTIVE', task_id: null };
    const id = await client.create(all(region), body, 'loadbalancers', at, { ...settled, name });
    if (id === undefined) return;
    const path = at(id);
    const renamed = { ...settled, name: `changed ${number}` };
    const patch = ['PATCH', path.replace('/v1/', '/v2/'), { name: renamed.name }] as const;
    if (client.random() < 0.5 && !(await client.change(patch, path, renamed))) return;
    const resize = ['POST', `${path}/resize`, { flavor: 'lb1-2-4' }] as const;
    if (client.random() < 0.3 && !(await client.change(resize, path, settled))) return;
    const failover = ['POST', `${path}/failover`, { force: true }] as const;
    if (client.random() < 0.3 && !(await client.change(failover, path, settled))) return;
    await client.maybeRemove(path);
  },
  all: [LOCAL, SIMULATED].map((region) => ({ list: all(region), one: ({ id }) => `${all(region)}/${id}` })),
};
