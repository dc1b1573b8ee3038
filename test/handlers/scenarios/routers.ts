import { type Preparation, patch, post, remove, type Scenario } from './scenario.ts';

const ROUTERS = '/cloud/v1/routers/1/2';
const NETWORKS = '/cloud/v1/networks/1/2';
const SUBNETS = '/cloud/v1/subnets/1/2';

async function subnet({ finished }: Preparation): Promise<string> {
  const network_id = await finished(post(NETWORKS, { name: 'net', create_router: false }), 'networks');
  return finished(post(SUBNETS, { name: 'sub', network_id, cidr: '192.168.10.0/24' }), 'subnets');
}

const withSubnet = (subnet_id: string) =>
  post(ROUTERS, {
    name: 'router',
    external_gateway_info: { type: 'default' },
    interfaces: [{ subnet_id }],
    routes: [{ destination: '10.0.0.0/8', nexthop: '192.168.10.7' }],
  });

const router = async (setup: Preparation) => setup.finished(withSubnet(await subnet(setup)), 'routers');
const bare = ({ finished }: Preparation) => finished(post(ROUTERS, { name: 'bare' }), 'routers');
const path = (id: string) => `${ROUTERS.replace('/v1/', '/v2/')}/${id}`;

async function external({ call }: Preparation): Promise<string> {
  const reply = await call({ method: 'GET', path: `${NETWORKS}?external=true` });
  return String(reply.body.results[0].id);
}

export const routers: Readonly<Record<string, Scenario>> = {
  create_router: { prepare: subnet, start: (subnet_id) => withSubnet(String(subnet_id)) },
  update_router: {
    prepare: async (setup) => [await bare(setup), await external(setup)],
    start: (id, network_id) =>
      patch(path(id), { name: 'changed', external_gateway_info: { network_id, enable_snat: false } }),
  },
  'update_router without a gateway': {
    prepare: router,
    start: (id) => patch(path(id), { external_gateway_info: null, routes: [] }),
  },
  delete_router: { prepare: router, start: (id) => remove(`${ROUTERS}/${id}`) },
};
