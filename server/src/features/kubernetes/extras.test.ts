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
        kubernetes: { ...kubernetes, lacks: ['cilium', 'ddos', 'slurm'] },
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
