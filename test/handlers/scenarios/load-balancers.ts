import { LBS, web } from '../../../server/src/features/load-balancers/testing/bodies.ts';
import { type Preparation, patch, post, remove, type Scenario } from './scenario.ts';

const RESERVED = '/cloud/v1/reserved_fixed_ips/1/2';

const existing = ({ finished }: Preparation) => finished(post(LBS, web), 'loadbalancers');

export const loadBalancers: Readonly<Record<string, Scenario>> = {
  create_loadbalancer: { start: () => post(LBS, web) },
  'create_loadbalancer with an address of each IP version': {
    start: () => post(LBS, { ...web, vip_ip_family: 'dual' }),
  },
  'create_loadbalancer at reserved addresses': {
    prepare: ({ finished }) => finished(post(RESERVED, { type: 'external', ip_family: 'dual' }), 'ports'),
    start: (vip_port_id) => post(LBS, { ...web, vip_port_id }),
  },
  update_loadbalancer: {
    prepare: existing,
    start: (id) => patch(`/cloud/v2/loadbalancers/1/2/${id}`, { name: 'changed', admin_state_up: false }),
  },
  resize_loadbalancer: {
    prepare: existing,
    start: (id) => post(`${LBS}/${id}/resize`, { flavor: 'lb1-4-8' }),
  },
  failover_loadbalancer: {
    prepare: existing,
    start: (id) => post(`${LBS}/${id}/failover`, { force: true }),
  },
  delete_loadbalancer: {
    prepare: existing,
    start: (id) => remove(`${LBS}/${id}`),
    failureLeaves: 'one that cannot be stopped is in ERROR and can be deleted again',
  },
  'delete_loadbalancer with an address of each IP version': {
    prepare: ({ finished }) => finished(post(LBS, { ...web, vip_ip_family: 'dual' }), 'loadbalancers'),
    start: (id) => remove(`${LBS}/${id}`),
    failureLeaves: 'one that cannot be stopped is in ERROR and can be deleted again',
  },
};
