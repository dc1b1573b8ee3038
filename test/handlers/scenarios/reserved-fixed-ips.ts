import { type Preparation, post, remove, type Scenario } from './scenario.ts';

const RESERVED = '/cloud/v1/reserved_fixed_ips/1/2';
const NETWORKS = '/cloud/v1/networks/1/2';
const SUBNETS = '/cloud/v1/subnets/1/2';

async function subnet({ finished }: Preparation): Promise<string> {
  const network_id = await finished(post(NETWORKS, { name: 'net' }), 'networks');
  return finished(post(SUBNETS, { name: 'sub', network_id, cidr: '192.168.10.0/24' }), 'subnets');
}

const external = post(RESERVED, { type: 'external' });
const dual = post(RESERVED, { type: 'external', ip_family: 'dual' });

export const reservedFixedIps: Readonly<Record<string, Scenario>> = {
  create_reserved_fixed_ip: { start: () => external },
  'create_reserved_fixed_ip in a subnet': {
    prepare: subnet,
    start: (subnet_id) => post(RESERVED, { type: 'subnet', subnet_id }),
  },
  'create_reserved_fixed_ip of both IP versions': { start: () => dual },
  'delete_reserved_fixed_ip of both IP versions': {
    prepare: ({ finished }) => finished(dual, 'ports'),
    start: (id) => remove(`${RESERVED}/${id}`),
  },
  delete_reserved_fixed_ip: {
    prepare: ({ finished }) => finished(external, 'ports'),
    start: (id) => remove(`${RESERVED}/${id}`),
  },
};
