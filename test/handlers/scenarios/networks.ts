import { type Preparation, patch, post, remove, type Scenario } from './scenario.ts';

const NETWORKS = '/cloud/v1/networks/1/2';
const SUBNETS = '/cloud/v1/subnets/1/2';

const network = ({ finished }: Preparation) => finished(post(NETWORKS, { name: 'net' }), 'networks');
const newSubnet = (network_id: string) => post(SUBNETS, { name: 'sub', network_id, cidr: '192.168.10.0/24' });

async function withSubnet(setup: Preparation): Promise<readonly [network: string, subnet: string]> {
  const id = await network(setup);
  return [id, await setup.finished(newSubnet(id), 'subnets')];
}

export const networks: Readonly<Record<string, Scenario>> = {
  create_network: { start: () => post(NETWORKS, { name: 'net', tags: { on: 'call' } }) },
  update_network: {
    prepare: network,
    start: (id) => patch(`${NETWORKS.replace('/v1/', '/v2/')}/${id}`, { name: 'changed' }),
  },
  delete_network: { prepare: withSubnet, start: (id) => remove(`${NETWORKS}/${id}`) },
  create_subnet: { prepare: network, start: (id) => newSubnet(String(id)) },
  delete_subnet: { prepare: withSubnet, start: (_, id) => remove(`${SUBNETS}/${id}`) },
};
