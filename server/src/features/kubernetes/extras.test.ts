import { expect, test } from 'vitest';
import { addSshKey, CLUSTERS, clusterBody, createCluster } from '../../../../test/harness/kubernetes.ts';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';

/** A region whose engine has less than the contract. */
const server = shared(async () => {
  const made = await startTestServer({
    aroundProvider: ({ kubernetes, ...provider }) => ({
      ...provider,
      ...(kubernetes && {
        kubernetes: {
          ...kubernetes,
          lacks: ['cilium', 'ddos', 'kubelet_config', 'security_groups', 'slurm'],
          hasOwnAutoscaler: true,
        },
      }),
    }),
  });
  await addSshKey(made);
  return made;
});

test('what a region does not have is refused, each with its field, and nothing is made', async () => {
  const body = clusterBody('lab', {
    cni: { provider: 'cilium' },
    ddos_profile: { enabled: true },
    logging: { enabled: true, destination_region_id: 2 },
  });
  const { status, body: said } = await server.call('POST', CLUSTERS, { body });
  expect([status, said.invalid_fields]).toEqual([
    400,
    {
      'cni.provider': ['is not possible: this region has no Cilium; leave out cni, or choose another region'],
      ddos_profile: [
        'is not possible: this region has no DDoS protection; leave it out, or choose another region',
      ],
    },
  ]);
  expect((await server.call('GET', CLUSTERS)).body.results).toEqual([]);
});

test('it is refused in a change, too', async () => {
  await createCluster(server, 'web');
  const change = { ddos_profile: { enabled: true } };
  const { status, body } = await server.call('PATCH', `${CLUSTERS}/web`, { body: change });
  expect([status, Object.keys(body.invalid_fields)]).toEqual([400, ['ddos_profile']]);
  const unchanged = await server.call('PATCH', `${CLUSTERS}/web`, { body: { ddos_profile: null } });
  expect(unchanged.status).toBe(200);
});

test('of pools and of the autoscaler, too, in whichever call they are named', async () => {
  await createCluster(server, 'pools', { autoscaler_config: { 'scan-interval': '20s' } });
  const security_group_ids = ['c0ffee00-0000-4000-8000-000000000000'];
  const pool = { name: 'more', flavor_id: 'g1-standard-1-2', min_node_count: 1 };
  const requested = { ...pool, security_group_ids, kubelet_config: { maxPods: '10' } };
  const fieldsOf = async (method: string, rest: string, body: object) => {
    const reply = await server.call(method, `${CLUSTERS}${rest}`, { body });
    expect(reply.status).toBe(400);
    return Object.keys(reply.body.invalid_fields);
  };
  const config = { autoscaler_config: { expander: 'random', 'scale-down-enabled': 'no' } };
  expect(
    await fieldsOf(
      'POST',
      '',
      clusterBody('lab', { pools: [{ ...pool, name: 'first' }, requested], ...config }),
    ),
  ).toEqual([
    'pools.1.kubelet_config',
    'pools.1.security_group_ids',
    'autoscaler_config.expander',
    'autoscaler_config.scale-down-enabled',
  ]);
  expect(await fieldsOf('PATCH', '/pools', config)).toHaveLength(2);
  expect(await fieldsOf('POST', '/pools/pools', requested)).toEqual(['kubelet_config', 'security_group_ids']);
  expect(await fieldsOf('PATCH', '/pools/pools/workers', { security_group_ids })).toEqual([
    'security_group_ids',
  ]);
  const none = await server.call('PATCH', `${CLUSTERS}/pools/pools/workers`, {
    body: { security_group_ids: [] },
  });
  expect(none.status).toBe(200);
});
