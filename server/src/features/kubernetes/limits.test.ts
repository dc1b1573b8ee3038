import { expect, test } from 'vitest';
import { CLUSTERS, clusterBody, startServerWithLab, usage } from '../../../../test/harness/kubernetes.ts';
import { finished } from '../../../../test/harness/project.ts';
import { shared } from '../../../../test/harness/shared.ts';

/** What `check_limits` says is what a creation would meet. */

const server = shared(startServerWithLab);

const limit = async (limits: Readonly<Record<string, number>>) => {
  const regional_limits = [{ region_id: 2, ...limits }];
  const reply = await server.call('PATCH', '/virga/v1/clients/1/quotas', {
    as: 'operator',
    body: { regional_limits },
  });
  expect(reply.status).toBe(200);
};

const ENOUGH = {
  cluster_count_limit: 100,
  vm_count_limit: 1000,
  cpu_count_limit: 1000,
  ram_limit: 1_000_000,
  volume_count_limit: 1000,
  volume_size_limit: 100_000,
  external_ip_count_limit: 100,
  servergroup_count_limit: 100,
  laas_topic_count_limit: 100,
};

/** Two nodes of 1 CPU and 2048 MiB, each with 60 GiB and an external address. */
const pool = {
  name: 'more',
  flavor_id: 'g1-standard-1-2',
  min_node_count: 2,
  boot_volume_size: 60,
  is_public_ipv4: true,
  servergroup_policy: 'affinity',
};

const NEEDS = {
  vm_count: 2,
  cpu_count: 2,
  ram: 4096,
  volume_count: 2,
  volume_size: 120,
  external_ip_count: 2,
  servergroup_count: 1,
};

test.each(Object.entries(NEEDS))('a pool for which %s does not suffice', async (name, requested) => {
  const before = await usage(server);
  const used = before[name] ?? 0;
  const short = used + requested - 1;
  await limit({ ...ENOUGH, [`${name}_limit`]: short });
  const { min_node_count, ...body } = pool;
  const check = () =>
    server.call('POST', `${CLUSTERS}/pools/check_limits`, { body: { ...body, node_count: min_node_count } });
  expect((await check()).body).toEqual({
    [`${name}_limit`]: short,
    [`${name}_usage`]: used,
    [`${name}_requested`]: requested,
  });
  const refused = await server.call('POST', `${CLUSTERS}/lab/pools`, { body: pool });
  expect(refused).toMatchObject({
    status: 403,
    body: {
      exception_class: 'QuotaLimitExceed',
      info: { attribute: name, current_usage: used, requested_usage: requested, limit: short },
    },
  });
  expect(await usage(server)).toEqual(before);
  await limit({ ...ENOUGH, [`${name}_limit`]: short + 1 });
  expect((await check()).body).toEqual({});
});

test('a cluster with several pools and logs, of which two quotas do not suffice', async () => {
  const before = await usage(server);
  const logging = { enabled: true, destination_region_id: 2, topic_name: 'logs' };
  const pools = [pool, { ...pool, name: 'others', min_node_count: 3 }];
  const used = before.vm_count ?? 0;
  await limit({ ...ENOUGH, vm_count_limit: used + 4, laas_topic_count_limit: 0 });
  const { body } = await server.call('POST', `${CLUSTERS}/check_limits`, { body: { pools, logging } });
  expect(body).toEqual({
    vm_count_limit: used + 4,
    vm_count_usage: used,
    vm_count_requested: 5,
    laas_topic_count_limit: 0,
    laas_topic_count_usage: 0,
    laas_topic_count_requested: 1,
  });
  const create = () => server.call('POST', CLUSTERS, { body: clusterBody('several', { pools, logging }) });
  expect((await create()).body.exception_class).toBe('QuotaLimitExceed');
  expect(await usage(server)).toEqual(before);
  await limit({ ...ENOUGH, vm_count_limit: used + 5, laas_topic_count_limit: 1 });
  await finished(server, create());
  const [after, usedBefore] = [await usage(server), (name: keyof typeof NEEDS) => before[name] ?? 0];
  expect(after).toMatchObject({
    vm_count: usedBefore('vm_count') + 5,
    volume_size: usedBefore('volume_size') + 300,
  });
  await finished(server, server.call('DELETE', `${CLUSTERS}/several`));
  expect(await usage(server)).toEqual(before);
});
