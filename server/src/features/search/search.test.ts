import { expect, test } from 'vitest';
import { people } from '../../../../test/harness/people.ts';
import { createdOne, project } from '../../../../test/harness/project.ts';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';

/** One call finds resources of every kind, in all projects and regions that somebody may see. */

const server = shared(startTestServer);
const { call, make, read } = project(() => server);

interface Found {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly project_id: number | null;
  readonly region_id: number | null;
  readonly status: string | null;
  readonly matched: string;
}
const search = async (text: string, more = ''): Promise<readonly Found[]> =>
  (await read(`/virga/v1/search?text=${encodeURIComponent(text)}${more}`)).results;
const shown = async (text: string) => (await search(text)).map(({ kind, name }) => `${kind} ${name}`);

test('parts of names are found in every noun, and who has the whole name comes first', async () => {
  await make('loadbalancers', { name: 'bakery-05' });
  await make('networks', { name: 'bakery' });
  await make('volumes', { name: 'old-bakery', size: 1, source: 'new-volume' });
  await make('routers', { name: 'bakery-router' });
  await make('security_groups', { name: 'bakery-group' });
  await call('POST', '/cloud/v1/ssh_keys/1', { name: 'bakery-key', shared_in_project: false });
  await call('POST', '/cloud/v3/inference/1/secrets', {
    name: 'bakery-secret',
    type: 'aws-iam',
    data: { aws_access_key_id: 'a', aws_secret_access_key: 'b' },
  });
  const found = await shown('BAKERY');
  expect(found[0]).toBe('network bakery');
  expect(found).toEqual(
    expect.arrayContaining([
      'load_balancer bakery-05',
      'router bakery-router',
      'security_group bakery-group',
      'ssh_key bakery-key',
      'inference_secret bakery-secret',
      'volume old-bakery',
    ]),
  );
  expect(await shown('ery-05')).toEqual(['load_balancer bakery-05']);
  expect(await shown('100%')).toEqual([]);
  expect(await shown(' ')).toEqual([]);
});

test('projects, regions, whole ids and their beginnings, addresses and tags are found', async () => {
  const tags = { stage: 'tasting' };
  const id = await make('loadbalancers', { name: 'tagged', tags });
  const { vip_address: address } = await read(`/cloud/v1/loadbalancers/1/2/${id}`);
  const one = { kind: 'load_balancer', id, project_id: 1, region_id: 2, status: 'ONLINE' };
  for (const [text, matched] of [
    ['tagged', 'name'],
    [id, 'id'],
    [id.slice(0, 20), 'id'],
    [address, 'address'],
    ['tasting', 'tag'],
    ['stage', 'tag'],
    ['stage=tasting', 'tag'],
  ]) {
    expect(await search(String(text)), text).toContainEqual(expect.objectContaining({ ...one, matched }));
  }
  expect(await search('stage=tast')).toEqual([]);
  expect(await search('Simulated')).toMatchObject([{ kind: 'region', id: '2', region_id: 2 }]);
  expect(await search('Default')).toContainEqual(
    expect.objectContaining({ kind: 'project', id: '1', project_id: 1 }),
  );
  const floating = await make('floatingips', {});
  const { floating_ip_address: outer } = await read(`/cloud/v1/floatingips/1/2/${floating}`);
  expect(await search(outer)).toContainEqual(
    expect.objectContaining({ kind: 'floating_ip', id: floating, name: outer }),
  );
});

test('what the limit leaves out is said, and characters that no name has are refused', async () => {
  const answer = await read('/virga/v1/search?text=bakery&limit=2');
  expect(answer.results).toHaveLength(2);
  expect(answer.truncated).toBe(true);
  expect((await read('/virga/v1/search?text=bakery-05')).truncated).toBe(false);
  expect((await call('GET', '/virga/v1/search?text=a%00b')).status).toBe(400);
  expect((await call('GET', '/virga/v1/search')).status).toBe(400);
});

test('nobody finds what is another account’s, or a key that somebody else keeps to themselves', async () => {
  const other = people(server);
  await other.join('baker@virga.test', 'Engineers');
  const { access } = await other.signIn('baker@virga.test');
  const mine = await other.bearer('GET', '/virga/v1/search?text=bakery', access);
  expect(mine.body.results.map(({ kind }: Found) => kind)).toContain('network');
  expect(mine.body.results.map(({ kind }: Found) => kind)).not.toContain('ssh_key');
  const stranger = await server.call('GET', '/virga/v1/search?text=bakery', { as: 'other client' });
  expect(stranger.body.results).toEqual([]);
});

test('lists are filtered by a part of the name', async () => {
  const lists = [
    ...['loadbalancers', 'networks', 'routers', 'securitygroups'].map((noun) => `/cloud/v1/${noun}/1/2`),
    '/cloud/v1/ssh_keys/1',
  ];
  for (const list of lists) {
    const { count, results } = await read(`${list}?name__contains=KERY`);
    expect(count, list).toBeGreaterThan(0);
    for (const { name } of results) expect(name, list).toMatch(/bakery/);
    expect((await read(`${list}?name__contains=nothing`)).count, list).toBe(0);
  }
  await call('POST', '/cloud/v1/servergroups/1/2', { name: 'ovens', policy: 'affinity' });
  expect((await read('/cloud/v1/servergroups/1/2?name__contains=VEN')).count).toBe(1);
  expect((await read('/cloud/v1/servergroups/1/2?name__contains=x')).count).toBe(0);
  expect((await read('/cloud/v1/secrets/1/2?name__contains=x')).count).toBe(0);
  expect((await read('/cloud/v1/images/1/2?name__contains=DEBIAN')).count).toBeGreaterThan(0);
  expect((await read('/cloud/v1/images/1/2?name__contains=bakery')).count).toBe(0);
  const volume = await make('volumes', { name: 'pot', size: 1, source: 'new-volume' });
  await createdOne(
    server,
    'snapshots',
    call('POST', '/cloud/v1/snapshots/1/2', { name: 'potted', volume_id: volume }),
  );
  expect((await read('/cloud/v1/snapshots/1/2?name__contains=Tted')).count).toBe(1);
  expect((await read('/cloud/v1/snapshots/1/2?name__contains=x')).count).toBe(0);
  const storage = { name: 'crumbs', location_name: 'simulated' };
  expect((await call('POST', '/storage/v4/object_storages', storage)).status).toBe(201);
  expect((await read('/storage/v4/object_storages?name__contains=RUM')).count).toBe(1);
  expect(await shown('rumb')).toEqual(['object_storage crumbs']);
});
