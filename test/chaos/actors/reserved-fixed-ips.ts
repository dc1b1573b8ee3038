import { type Actor, LOCAL, SIMULATED } from './actor.ts';

const all = (region: number) => `/cloud/v1/reserved_fixed_ips/1/${region}`;

/** A reserved address, which outlives the load balancer that claims it. */
export const reservedFixedIps: Actor = {
  weight: 2,
  async live(client, number) {
    const region = number % 4 === 3 ? LOCAL : SIMULATED;
    const at = (id: string) => `${all(region)}/${id}`;
    const reserved = { type: 'external', is_vip: false };
    const id = await client.create(all(region), reserved, 'ports', at, { task_id: null });
    if (id === undefined) return;
    const address = (await client.read(at(id))).body.fixed_ip_address;
    const lbs = `/cloud/v1/loadbalancers/1/${region}`;
    const lbAt = (lb: string) => `${lbs}/${lb}`;
    const listeners = [{ name: 'http', protocol: 'HTTP', protocol_port: 8088 }];
    const body = { name: `reserved ${number}`, vip_port_id: id, listeners };
    const lb = await client.create(lbs, body, 'loadbalancers', lbAt, { vip_address: address });
    if (lb === undefined || client.random() < 0.3) return;
    if (!(await client.change(['DELETE', lbAt(lb)], lbAt(lb), 'gone'))) return;
    await client.maybeRemove(at(id));
  },
  all: [LOCAL, SIMULATED].map((region) => ({
    list: all(region),
    one: (row) => `${all(region)}/${row.port_id ?? row.id}`,
  })),
};
