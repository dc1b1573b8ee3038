import { randomUUID } from 'node:crypto';
import { sql } from '../../../server/src/platform/database/sql.ts';
import { ACCOUNT_HOOKS } from './hooks-accounts.ts';
import type { Hook, Hooks, World } from './world.ts';

/** What examples need beside the things that they name. */

const keyed = async (world: World): Promise<Hook> => {
  await world.get('sshKey');
  return {};
};

const stopped = async (world: World): Promise<Hook> => {
  const path = `${world.at('instances', 'v2')}/${await world.get('instance')}/action`;
  await world.done('POST', path, { action: 'stop' });
  return {};
};

const attached = async (world: World): Promise<Hook> => {
  const path = `${world.at('volumes', 'v2')}/${await world.get('volume')}/attach`;
  await world.done('POST', path, { instance_id: await world.get('instance') });
  return {};
};

const activated = async (world: World): Promise<Hook> => {
  await world.get('activation');
  return {};
};

/** The group that the example names, at the machine whose group it changes if it is to leave. */
const grouped =
  (joins: boolean) =>
  async (world: World): Promise<Hook> => {
    await world.get('group');
    const path = `${world.at('instances')}/${await world.get('instance')}/addsecuritygroup`;
    const of = { port_id: await world.get('port'), security_group_names: ['shop-web'] };
    if (joins) await world.call('POST', path, { ports_security_group_names: [of] });
    return {};
  };

const ownAddress = async (world: World): Promise<Hook> => {
  const id = await world.done('POST', world.at('reserved_fixed_ips'), { type: 'external' }, 'ports');
  return { path: { port_id: id } };
};

const shared = async (world: World): Promise<Hook> => {
  const path = `${world.at('reserved_fixed_ips')}/${await world.get('reservedPort')}`;
  await world.call('PATCH', path, { is_vip: true });
  return {};
};

const monitored = async (world: World): Promise<Hook> => {
  await world.get('monitor');
  return {};
};

const joined = async (world: World): Promise<Hook> => {
  const router = await world.get('router');
  world.set('subnet', await world.get('apart'));
  return { path: { router_id: router } };
};

const pageSet = async ({ server }: World): Promise<Hook> => {
  const { body } = await server.call('POST', '/waap/v1/custom-page-sets', { body: { name: 'around' } });
  return { path: { set_id: String(body.id) } };
};

const webhookTarget = async ({ server }: World): Promise<Hook> => {
  const body = { client_id: 1, url: 'https://hooks.example.com/before' };
  const reply = await server.call('POST', '/virga/v1/webhook_targets', { as: 'operator', body });
  return { path: { target_id: String(reply.body.id) } };
};

const notificationAfter =
  (method: string): Hooks[string] =>
  async ({ server }, body) => {
    await server.call(method, '/storage/notifications/v1/event', { body });
    return {};
  };

const NODES = 'k8s/clusters';

const OWN: Hooks = {
  // One that nobody takes up meanwhile.
  'POST /virga/v1/all_tasks/{task_id}/end': async ({ server }) => {
    const task_id = randomUUID();
    await server.db.run(sql`insert into tasks (id, client_id, user_id, type, run_at, created_at, updated_at)
       values (${task_id}, 1, 1, 'create_network', now() + interval '1 hour', now(), now())`);
    return { path: { task_id } };
  },
  'POST /virga/v1/clients/{client_id}/suspend': async ({ server }) => {
    const body = { name: 'Late Ltd', email: 'late@example.com' };
    const created = await server.call('POST', '/virga/v1/clients', { as: 'operator', body });
    return { path: { client_id: String(created.body.id) } };
  },
  'PATCH /virga/v1/clients/{client_id}/quotas': async () => ({ path: { client_id: '2' } }),
  'PATCH /virga/v1/webhook_targets/{target_id}': webhookTarget,
  // Its faults strike in a region that no other example is in.
  'POST /virga/v1/simulation/{region_id}/faults': async () => ({ path: { region_id: '1' } }),
  'POST /cloud/v2/keypairs': async (world) => ({ body: { project_id: world.project } }),
  'POST /cloud/v1/dbaas/postgres/clusters/{project_id}/{region_id}': activated,
  'POST /cloud/v1/dbaas/postgres/check_limit/{project_id}/{region_id}': activated,
  'POST /cloud/v1/dbaas/postgres/validate_pg_conf/{project_id}/{region_id}': activated,
  'POST /cloud/v2/volumes/{project_id}/{region_id}/{volume_id}/detach': attached,
  'POST /cloud/v1/volumes/{project_id}/{region_id}/{volume_id}/detach': attached,
  'POST /cloud/v2/instances/{project_id}/{region_id}': keyed,
  'POST /cloud/v1/instances/{project_id}/{region_id}/{instance_id}/start': stopped,
  'POST /cloud/v1/instances/{project_id}/{region_id}/{instance_id}/addsecuritygroup': grouped(false),
  'POST /cloud/v1/instances/{project_id}/{region_id}/{instance_id}/delsecuritygroup': grouped(true),
  'POST /cloud/v2/k8s/clusters/{project_id}/{region_id}': keyed,
  'PUT /virga/v1/simulation/{region_id}/k8s_nodes/{instance_id}': async (world) => {
    const path = `${world.at(NODES, 'v2')}/${await world.get('cluster')}/instances`;
    const { body } = await world.call('GET', path);
    return { path: { instance_id: body.results[0].id } };
  },
  'PUT /virga/v1/simulation/{region_id}/k8s_pools/{pool_id}': async (world) => {
    const { body } = await world.call('GET', `${world.at(NODES, 'v2')}/${await world.get('cluster')}/pools`);
    return { path: { pool_id: body.results[0].id } };
  },
  'POST /cloud/v1/routers/{project_id}/{region_id}/{router_id}/attach': async (world) => {
    const router = await world.done('POST', world.at('routers'), { name: 'around' }, 'routers');
    return { path: { router_id: router } };
  },
  'POST /cloud/v1/routers/{project_id}/{region_id}/{router_id}/detach': joined,
  'POST /cloud/v1/reserved_fixed_ips/{project_id}/{region_id}/{port_id}/convert': ownAddress,
  'POST /cloud/v1/reserved_fixed_ips/{project_id}/{region_id}': async (world) => {
    await world.get('subnet');
    return {};
  },
  'PUT /cloud/v1/reserved_fixed_ips/{project_id}/{region_id}/{port_id}/connected_devices': shared,
  'PATCH /cloud/v1/reserved_fixed_ips/{project_id}/{region_id}/{port_id}/connected_devices': shared,
  'PATCH /cloud/v1/lbpools/{project_id}/{region_id}/{pool_id}/healthmonitor': monitored,
  'POST /waap/v1/preview-custom-page': async () => ({ query: '?page_type=block.html' }),
  'PATCH /waap/v1/custom-page-sets/{set_id}': pageSet,
  'PATCH /waap/v2/custom-page-sets/{set_id}': pageSet,
  // Reports are of the last days.
  'POST /virga/v1/clients/{client_id}/storages/{storage_name}/usage_reports': async ({
    server: { clock },
  }) => {
    const to = clock.now().getTime();
    return {
      body: { from: new Date(to - 3_600_000).toISOString(), to: new Date(to).toISOString() },
    };
  },
  'DELETE /storage/notifications/v1/event': notificationAfter('PUT'),
  'POST /storage/notifications/v1/event': notificationAfter('DELETE'),
};

/** What no simulated region can do, and the test that sends these examples elsewhere. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  'PUT /virga/v1/postgresql_clusters/{project_id}/{region_id}/{cluster_name}/backups':
    'test/integration/postgresql-backups.test.ts',
  'POST /virga/v1/postgresql_clusters/{project_id}/{region_id}/{cluster_name}/restore':
    'test/integration/postgresql-backups.test.ts',
  // API tokens have no person who could give a password, or have a second factor.
  'POST /virga/v1/session/confirm': 'test/security/sessions.test.ts',
  'POST /virga/v1/session/passkey': 'test/security/passkeys.test.ts',
  'POST /virga/v1/second_factors/passkeys/options': 'test/security/passkeys.test.ts',
  'POST /virga/v1/second_factors/passkeys': 'test/security/passkeys.test.ts',
  'POST /virga/v1/second_factors/authenticators': 'test/security/second-factors.test.ts',
  'POST /virga/v1/second_factors/authenticators/{factor_id}/confirm': 'test/security/second-factors.test.ts',
};

export const HOOKS: Hooks = { ...OWN, ...ACCOUNT_HOOKS };
