import { LBS, web } from '../../../server/src/features/load-balancers/testing/bodies.ts';
import { type Preparation, patch, post, remove, type Scenario } from './scenario.ts';

const FIPS = '/cloud/v1/floatingips/1/2';

/** A load balancer's port, which carries floating IPs. */
async function port({ call, finished }: Preparation, name = 'web'): Promise<string> {
  const id = await finished(post(LBS, { ...web, name }), 'loadbalancers');
  return String((await call({ method: 'GET', path: `${LBS}/${id}` })).body.vip_port_id);
}

const free = ({ finished }: Preparation) => finished(post(FIPS, {}), 'floatingips');

async function assigned(setup: Preparation): Promise<string> {
  return setup.finished(post(FIPS, { port_id: await port(setup) }), 'floatingips');
}

const reserved = ({ finished }: Preparation) =>
  finished(post('/cloud/v1/reserved_fixed_ips/1/2', { type: 'external' }), 'ports');

async function onPort(setup: Preparation): Promise<string> {
  return setup.finished(post(FIPS, { port_id: await reserved(setup) }), 'floatingips');
}

const path = (id: string) => `${FIPS.replace('/v1/', '/v2/')}/${id}`;

export const floatingIps: Readonly<Record<string, Scenario>> = {
  create_fip: { start: () => post(FIPS, { tags: { on: 'call' } }) },
  'create_fip for a load balancer': {
    prepare: port,
    start: (port_id) => post(FIPS, { port_id }),
  },
  update_fip: { prepare: free, start: (id) => patch(path(id), { tags: { on: 'call' } }) },
  'update_fip to another load balancer': {
    prepare: async (setup) => [await assigned(setup), await port(setup, 'other')],
    start: (id, port_id) => patch(path(id), { port_id }),
  },
  'update_fip to none': { prepare: assigned, start: (id) => patch(path(id), { port_id: null }) },
  delete_fip: { prepare: free, start: (id) => remove(`${FIPS}/${id}`) },
  'delete_fip of a load balancer': { prepare: assigned, start: (id) => remove(`${FIPS}/${id}`) },
  'create_fip for a port': { prepare: reserved, start: (port_id) => post(FIPS, { port_id }) },
  'update_fip from a port to a load balancer': {
    prepare: async (setup) => [await onPort(setup), await port(setup)],
    start: (id, port_id) => patch(path(id), { port_id }),
  },
  'update_fip from a load balancer to a port': {
    prepare: async (setup) => [await assigned(setup), await reserved(setup)],
    start: (id, port_id) => patch(path(id), { port_id }),
  },
  'delete_fip of a port': { prepare: onPort, start: (id) => remove(`${FIPS}/${id}`) },
  convert_fip: {
    prepare: free,
    start: (id) => post(`${FIPS}/${id}/convert`, { target_type: 'reserved_fixed_ip' }),
  },
  convert_reserved_fixed_ip: {
    prepare: reserved,
    start: (id) => post(`/cloud/v1/reserved_fixed_ips/1/2/${id}/convert`, { target_type: 'floating_ip' }),
  },
};
