import { type Actor, SIMULATED } from './actor.ts';

const NETWORKS = `/cloud/v1/networks/1/${SIMULATED}`;
const SUBNETS = `/cloud/v1/subnets/1/${SIMULATED}`;

/** A network with a subnet; its deletion deletes the subnet. */
export const networks: Actor = {
  weight: 1,
  async live(client, number) {
    const at = (id: string) => `${NETWORKS}/${id}`;
    const name = `chaos ${number}`;
    const id = await client.create(NETWORKS, { name }, 'networks', at, { name, task_id: null });
    if (id === undefined) return;
    const subnetAt = (subnet: string) => `${SUBNETS}/${subnet}`;
    const body = { name, network_id: id, cidr: '192.168.10.0/24' };
    const subnet = await client.create(SUBNETS, body, 'subnets', subnetAt, { name, task_id: null });
    if (subnet === undefined) return;
    if (client.random() < 0.5) return;
    client.doubt(subnetAt(subnet));
    await client.change(['DELETE', at(id)], at(id), 'gone');
  },
  all: [{ list: NETWORKS, one: ({ id }) => `${NETWORKS}/${id}` }],
};
