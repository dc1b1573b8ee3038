import { type Actor, SETTLED, SIMULATED, v2 } from './actor.ts';
import { emptyBalancer, LBS } from './empty-balancer.ts';

const LISTENERS = `/cloud/v1/lblisteners/1/${SIMULATED}`;

/** Listeners of a load balancer come, change and go; at times the load balancer is deleted with them. */
export const loadBalancerParts: Actor = {
  weight: 2,
  async live(client, number) {
    const lb = await emptyBalancer(client, `parts ${number}`);
    if (lb === undefined) return;
    const at = (id: string) => `${LISTENERS}/${id}`;
    const body = { load_balancer_id: lb, name: 'web', protocol: 'HTTP', protocol_port: 80 };
    const id = await client.create(LISTENERS, body, 'listeners', at, { ...SETTLED, name: 'web' });
    if (id === undefined) return;
    const changed = { ...SETTLED, connection_limit: 5 };
    const change = ['PATCH', v2(at(id)), { connection_limit: 5 }] as const;
    if (client.random() < 0.7 && !(await client.change(change, at(id), changed))) return;
    if (client.random() < 0.5) return void (await client.maybeRemove(at(id)));
    client.doubt(at(id));
    await client.maybeRemove(`${LBS}/${lb}`);
  },
  all: [],
};
