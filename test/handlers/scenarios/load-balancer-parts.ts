import { LBS, monitor, web } from '../../../server/src/features/load-balancers/testing/bodies.ts';
import { type Preparation, patch, post, put, remove, type Scenario } from './scenario.ts';

/** Listeners, pools, members and health monitors. */

const LISTENERS = '/cloud/v1/lblisteners/1/2';
const POOLS = '/cloud/v1/lbpools/1/2';
const members = (pool: string) => `${LBS}/pools/${pool}/members`;
const v2 = (path: string) => path.replace('/v1/', '/v2/');

const made = (kind: string) => (setup: Preparation) => setup.finished(post(LBS, web), kind);
const loadBalancer = made('loadbalancers');
const listener = made('listeners');
const pool = made('pools');

/** A pool and its only member. */
async function member(setup: Preparation): Promise<readonly [pool: string, member: string]> {
  const id = await pool(setup);
  return [id, await setup.finished(post(members(id), { address: '10.0.0.7', protocol_port: 80 }), 'members')];
}

/** A pool without a health monitor. */
async function barePool(setup: Preparation): Promise<string> {
  const lb = await loadBalancer(setup);
  return setup.finished(post(POOLS, { ...newPool, load_balancer_id: lb }), 'pools');
}

const newPool = { name: 'more', protocol: 'HTTP', lb_algorithm: 'LEAST_CONNECTIONS' };

export const loadBalancerParts: Readonly<Record<string, Scenario>> = {
  create_lblistener: {
    prepare: loadBalancer,
    start: (load_balancer_id) =>
      post(LISTENERS, { load_balancer_id, name: 'more', protocol: 'TCP', protocol_port: 90 }),
  },
  patch_lblistener: {
    prepare: listener,
    start: (id) => patch(v2(`${LISTENERS}/${id}`), { name: 'changed', connection_limit: 5 }),
  },
  delete_lblistener: {
    prepare: listener,
    start: (id) => remove(`${LISTENERS}/${id}?delete_default_pool=true`),
  },
  create_lbpool: {
    prepare: loadBalancer,
    start: (load_balancer_id) =>
      post(POOLS, {
        ...newPool,
        load_balancer_id,
        healthmonitor: monitor,
        members: [{ address: '10.0.0.1', protocol_port: 80 }],
      }),
  },
  patch_lbpool: {
    prepare: pool,
    start: (id) => patch(v2(`${POOLS}/${id}`), { name: 'changed', lb_algorithm: 'SOURCE_IP' }),
  },
  'patch_lbpool with other members': {
    prepare: pool,
    start: (id) =>
      patch(v2(`${POOLS}/${id}`), {
        members: [{ address: '10.0.0.1', protocol_port: 80 }],
        healthmonitor: { ...monitor, delay: 9 },
      }),
  },
  patch_lbpool_health_monitor: {
    prepare: pool,
    start: (id) => patch(`${POOLS}/${id}/healthmonitor`, { delay: 9, url_path: '/changed' }),
  },
  delete_lbpool: { prepare: pool, start: (id) => remove(`${POOLS}/${id}`) },
  create_lbmember: {
    prepare: pool,
    start: (id) => post(members(String(id)), { address: '10.0.0.1', protocol_port: 80 }),
  },
  patch_lbmember: {
    prepare: member,
    start: (id, one) => patch(`${members(String(id))}/${one}`, { weight: 0, backup: true }),
  },
  put_lbmembers: {
    prepare: member,
    start: (id) => put(members(String(id)), [{ address: '10.0.0.8', protocol_port: 80 }]),
  },
  delete_lbmember: { prepare: member, start: (id, one) => remove(`${members(String(id))}/${one}`) },
  create_lbpool_health_monitor: {
    prepare: barePool,
    start: (id) => post(`${POOLS}/${id}/healthmonitor`, monitor),
  },
  delete_lbpool_health_monitor: {
    prepare: pool,
    start: (id) => ({ ...remove(`${POOLS}/${id}/healthmonitor`), waits: true }),
  },
};
