import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { release, reserve } from '../../server/src/features/quotas/index.ts';
import { QuotaExceeded } from '../../server/src/kernel/errors.ts';
import { sql } from '../../server/src/platform/database/sql.ts';
import { faultsOf } from '../harness/project.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** Quotas: 8 global names, 50 in each region, `<name>_limit` and `<name>_usage`, per client and per region. */

const server = shared(() => startTestServer({ worker: false }));

const GLOBAL =
  'inference_cpu_millicore_count inference_gpu_a100_count inference_gpu_h100_count inference_gpu_l40s_count inference_instance_count inference_public_model_api_key_count keypair_count project_count'.split(
    ' ',
  );
const REGIONAL =
  'baremetal_basic_count baremetal_gpu_a100_count baremetal_gpu_h100_count baremetal_gpu_h200_count baremetal_gpu_l40s_count baremetal_hf_count baremetal_infrastructure_count baremetal_network_count baremetal_storage_count caas_container_count caas_cpu_count caas_gpu_count caas_ram_size cluster_count cpu_count dbaas_postgres_cluster_count external_ip_count faas_cpu_count faas_function_count faas_namespace_count faas_ram_size firewall_count floating_count gpu_count gpu_virtual_a100_count gpu_virtual_h100_count gpu_virtual_h200_count gpu_virtual_l40s_count image_count image_size ipu_count laas_topic_count loadbalancer_count network_count ram registry_count registry_storage router_count secret_count servergroup_count sfs_count sfs_size shared_vm_count snapshot_schedule_count subnet_count vm_count volume_count volume_size volume_snapshots_count volume_snapshots_size'.split(
    ' ',
  );

const setLimits = (clientId: number, body: object) =>
  server.call('PATCH', `/virga/v1/clients/${clientId}/quotas`, { as: 'operator', body });

describe('reads', () => {
  test('show limit and usage of every global name', async () => {
    const { status, body } = await server.call('GET', '/cloud/v2/global_quotas/1');
    expect(status).toBe(200);
    const expected = GLOBAL.flatMap((name) => [`${name}_limit`, `${name}_usage`]);
    expect(Object.keys(body).sort()).toEqual(expected.sort());
  });

  test('show limit and usage of every regional name in each region', async () => {
    const { body } = await server.call('GET', '/cloud/v2/regional_quotas/1/2');
    expect(body.region_id).toBe(2);
    for (const name of REGIONAL) {
      expect(body[`${name}_limit`]).toBeGreaterThan(0);
      expect(body[`${name}_usage`]).toBe(0);
    }
    const all = await server.call('GET', '/cloud/v2/client_quotas');
    expect(all.body.regional_quotas.map((region: { region_id: number }) => region.region_id)).toEqual([
      1, 2, 3,
    ]);
    expect(all.body.regional_quotas[1]).toEqual(body);
  });

  test('of another client or an unknown region are not found', async () => {
    expect((await server.call('GET', '/cloud/v2/global_quotas/2')).status).toBe(404);
    expect((await server.call('GET', '/cloud/v2/regional_quotas/2/1')).status).toBe(404);
    expect((await server.call('GET', '/cloud/v2/regional_quotas/1/99')).status).toBe(404);
  });
});

describe('a limit', () => {
  test('of 10 lets exactly 10 of 100 parallel creates through', async () => {
    const as = 'other client' as const;
    const limited = await setLimits(2, { global_limits: { project_count_limit: 10 } });
    expect(limited.body.global_quotas.project_count_limit).toBe(10);
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        server.call('POST', '/cloud/v1/projects', { as, body: { name: `parallel ${i}` } }),
      ),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(10);
    const refused = replies.filter(({ status }) => status === 403);
    expect(refused).toHaveLength(90);
    expect(refused[0]?.body).toMatchObject({
      exception_class: 'QuotaLimitExceed',
      message:
        'Quota limit for project_count exceeded by 1: 10 of 10 used, 1 more requested; ask for a higher limit with POST /cloud/v2/limits_request',
      info: { attribute: 'project_count', current_usage: 10, requested_usage: 1, limit: 10 },
    });
    const { body } = await server.call('GET', '/cloud/v2/global_quotas/2', { as });
    expect(body).toMatchObject({ project_count_limit: 10, project_count_usage: 10 });
    const { body: projects } = await server.call('GET', '/cloud/v1/projects', { as });
    expect(projects.count).toBe(11);
  });

  test('is never passed, and usage is the sum of what is held, for any mix of parallel work', async () => {
    let region = 100;
    const step = fc.record({ amount: fc.integer({ min: 1, max: 4 }), giveBack: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 12 }),
        fc.array(step, { maxLength: 30 }),
        async (limit, steps) => {
          const scope = { clientId: 1, regionId: ++region };
          await server.db.run(
            sql`insert into quota_counters (client_id, region_id, name, quota_limit) values (1, ${scope.regionId}, 'volume_size', ${limit})`,
          );
          const held = await Promise.all(
            steps.map(async ({ amount, giveBack }) => {
              try {
                await server.db.transaction((tx) => reserve(tx, scope, { volume_size: amount }));
              } catch (error) {
                if (!(error instanceof QuotaExceeded)) throw error;
                return 0;
              }
              if (!giveBack) return amount;
              await server.db.transaction((tx) => release(tx, scope, { volume_size: amount }));
              return 0;
            }),
          );
          const sum = held.reduce<number>((a, b) => a + b, 0);
          const [row] = await server.db.rows<{ usage: number }>(
            sql`select usage from quota_counters where client_id = 1 and region_id = ${scope.regionId} and name = 'volume_size'`,
          );
          expect(row?.usage).toBe(sum);
          expect(sum).toBeLessThanOrEqual(limit);
        },
      ),
      { numRuns: 40 },
    );
  });

  test('may be set below the usage, and then nothing more is created', async () => {
    const as = 'other client' as const;
    await setLimits(2, { global_limits: { project_count_limit: 3 } });
    const reply = await server.call('POST', '/cloud/v1/projects', { as, body: { name: 'too many' } });
    expect(reply.body.info).toMatchObject({ current_usage: 10, limit: 3 });
    const read = await server.call('GET', '/virga/v1/clients/2/quotas', { as: 'operator' });
    expect(read.body.global_quotas).toMatchObject({ project_count_limit: 3, project_count_usage: 10 });
  });

  test('is set by operators alone, for clients and regions that exist', async () => {
    const body = { global_limits: { project_count_limit: 1 } };
    expect((await server.call('PATCH', '/virga/v1/clients/1/quotas', { body })).status).toBe(403);
    const missing = await server.call('PATCH', '/virga/v1/clients/99/quotas', { as: 'operator', body });
    expect(missing.status).toBe(404);
    const faulty = await setLimits(1, {
      regional_limits: [{ region_id: 9, ram_limit: 1 }, { vm_count_limit: 1 }],
    });
    expect(Object.keys(faulty.body.invalid_fields)).toEqual([
      'regional_limits.0.region_id',
      'regional_limits.1.region_id',
    ]);
    expect((await setLimits(1, {})).status).toBe(400);
    expect((await setLimits(1, { global_limits: { ram_limit: 1 } })).status).toBe(400);
  });
});

describe('a limits request', () => {
  const PATH = '/cloud/v2/limits_request';
  const requested_limits = {
    global_limits: { keypair_count_limit: 7 },
    regional_limits: [{ region_id: 2, vm_count_limit: 42 }],
  };
  const ask = (more: object = {}) =>
    server.call('POST', PATH, { body: { description: 'a launch', requested_limits, ...more } });

  test('is in progress until an operator grants it, and then its limits hold', async () => {
    const { status, body } = await ask();
    expect(status).toBe(201);
    expect(body).toMatchObject({ client_id: 1, status: 'in progress', requested_limits, updated_at: null });
    const decide = (verb: string) =>
      server.call('POST', `/virga/v1/limits_requests/${body.id}/${verb}`, { as: 'operator' });
    expect((await decide('approve')).body.status).toBe('done');
    const { body: quotas } = await server.call('GET', '/cloud/v2/client_quotas');
    expect(quotas.global_quotas.keypair_count_limit).toBe(7);
    expect(quotas.regional_quotas[1].vm_count_limit).toBe(42);
    expect((await decide('reject')).status).toBe(409);
    expect((await server.call('DELETE', `${PATH}/${body.id}`)).status).toBe(409);
  });

  test('is rejected without effect, and withdrawn while it is in progress', async () => {
    const { body: rejected } = await ask({
      requested_limits: { global_limits: { keypair_count_limit: 99 } },
    });
    await server.call('POST', `/virga/v1/limits_requests/${rejected.id}/reject`, { as: 'operator' });
    expect((await server.call('GET', `${PATH}/${rejected.id}`)).body.status).toBe('rejected');
    expect((await server.call('GET', '/cloud/v2/global_quotas/1')).body.keypair_count_limit).not.toBe(99);
    const { body: withdrawn } = await ask();
    expect((await server.call('DELETE', `${PATH}/${withdrawn.id}`)).status).toBe(204);
    expect((await server.call('GET', `${PATH}/${withdrawn.id}`)).status).toBe(404);
  });

  test('belongs to its client', async () => {
    const { body } = await ask();
    const as = 'other client' as const;
    expect((await server.call('GET', `${PATH}/${body.id}`, { as })).status).toBe(404);
    expect((await server.call('DELETE', `${PATH}/${body.id}`, { as })).status).toBe(404);
    expect((await server.call('GET', PATH, { as })).body.count).toBe(0);
    const all = await server.call('GET', '/virga/v1/limits_requests', { as: 'operator' });
    expect(all.body.results.map(({ id }: { id: number }) => id)).toContain(body.id);
  });

  test('is found by status, id and time', async () => {
    const { body } = await ask();
    const count = async (query: string) => (await server.call('GET', `${PATH}?${query}`)).body.count;
    expect(await count(`request_ids=${body.id}&request_ids=999999`)).toBe(1);
    expect(await count('status=done&status=rejected')).toBe(2);
    expect(await count('created_from=2999-01-01T00:00:00Z')).toBe(0);
    expect(await count('created_to=2000-01-01T00:00:00%2B0000')).toBe(0);
    expect(await count('created_from=2000-01-01T00:00:00')).toBeGreaterThan(2);
    expect((await server.call('GET', `${PATH}?status=open`)).status).toBe(400);
  });

  test.each([
    ['a description of 1001 characters', { description: 'x'.repeat(1001) }, 'description'],
    ['no limits', { requested_limits: {} }, 'requested_limits'],
    [
      'an unknown name',
      { requested_limits: { global_limits: { moon_limit: 1 } } },
      'requested_limits.global_limits.moon_limit',
    ],
    [
      'an unknown region',
      { requested_limits: { regional_limits: [{ region_id: 77, ram_limit: 1 }] } },
      'requested_limits.regional_limits.0.region_id',
    ],
  ])('is refused with %s', async (_what, more, field) => {
    const reply = await ask(more);
    expect(await faultsOf(reply)).toEqual([field]);
  });
});
