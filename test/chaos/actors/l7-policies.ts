import { type Actor, regionOf, SETTLED } from './actor.ts';
import { listenerOf } from './pools.ts';

/** L7 policies and their rules come, change and go; every fourth time in a real HAProxy. */
export const l7Policies: Actor = {
  weight: 3,
  async live(client, number) {
    const region = regionOf(number, 2);
    const listener = await listenerOf(client, region, `policies ${number}`);
    if (listener === undefined) return;
    const all = `/cloud/v1/l7policies/1/${region}`;
    const at = (id: string) => `${all}/${id}`;
    const body = { listener_id: listener, name: 'closed', action: 'REJECT' };
    const id = await client.create(all, body, 'l7polices', at, { ...SETTLED, action: 'REJECT' });
    if (id === undefined) return;
    const ruleAt = (rule: string) => `${at(id)}/rules/${rule}`;
    const rule = { type: 'PATH', compare_type: 'STARTS_WITH', value: '/closed' };
    const first = await client.create(`${at(id)}/rules`, rule, 'l7rules', ruleAt, rule);
    if (first === undefined) return;
    const other = { value: '/shut', invert: false };
    const put = ['PUT', ruleAt(first), other] as const;
    if (client.random() < 0.5 && !(await client.change(put, ruleAt(first), { ...SETTLED, ...other }))) return;
    const moved = { action: 'REDIRECT_TO_URL', redirect_url: 'https://a.test/' };
    const patch = ['PATCH', at(id), moved] as const;
    if (client.random() < 0.5 && !(await client.change(patch, at(id), { ...SETTLED, ...moved }))) return;
    if (client.random() < 0.5) return void (await client.maybeRemove(ruleAt(first)));
    client.doubt(ruleAt(first));
    await client.maybeRemove(at(id));
  },
  all: [],
};
