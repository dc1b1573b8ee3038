import { expect, test } from 'vitest';
import { changedNothing } from '../../../../test/harness/changed-nothing.ts';
import { faultsOf, NOWHERE, project } from '../../../../test/harness/project.ts';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { anImage, INSTANCES, INSTANCES_V2, instanceBody } from '../instances/testing/bodies.ts';

/** Security groups through the API, in a region that is simulated and instant. */

const GROUPS = '/cloud/v1/securitygroups/1/2';
const V2 = '/cloud/v2/security_groups/1/2';
const ssh = { direction: 'ingress', protocol: 'tcp', port_range_min: 22, port_range_max: 22 };

const server = shared(startTestServer);

const { call, finished } = project(() => server);
const read = async (id: string) => (await call('GET', `${GROUPS}/${id}`)).body;
const list = async (query = '') => (await call('GET', `${GROUPS}?limit=1000&${query}`)).body;

async function group(body: object = {}): Promise<string> {
  const { created_resources: created } = await finished(
    await call('POST', V2, { name: 'web', rules: [ssh], ...body }),
    'create_security_group',
  );
  return String(created?.security_groups?.[0]);
}

interface Rule {
  readonly id: string;
  readonly direction: string;
  readonly ethertype: string;
}
const kinds = (rules: readonly Rule[]) => rules.map((rule) => `${rule.direction} ${rule.ethertype}`).sort();
const EVERYTHING_OUT = ['egress IPv4', 'egress IPv6'];
const USUAL = [...EVERYTHING_OUT, ...Array(3).fill('ingress IPv4'), ...Array(3).fill('ingress IPv6')];
interface Passing extends Rule {
  readonly protocol: string | null;
  readonly port_range_min: number | null;
}
const entries = (rules: readonly Passing[]) =>
  rules.flatMap((rule) =>
    rule.direction === 'ingress' ? `${rule.protocol} ${rule.port_range_min ?? 'any'}` : [],
  );

const quota = async () =>
  (await call('GET', '/cloud/v2/regional_quotas/1/2')).body.firewall_count_usage as number;

test('a project has a default group that lets in ICMP, SSH and RDP, counts for nothing and stays', async () => {
  const { results } = await list('name=default');
  expect(results).toHaveLength(1);
  const [own] = results;
  expect(kinds(own.security_group_rules)).toEqual(USUAL);
  expect(entries(own.security_group_rules).sort()).toEqual(
    ['icmp any', 'ipv6-icmp any', 'tcp 22', 'tcp 22', 'tcp 3389', 'tcp 3389'].sort(),
  );
  expect(await quota()).toBe(0);
  expect(await call('DELETE', `${GROUPS}/${own.id}`)).toMatchObject({
    status: 409,
    headers: { 'x-should-retry': 'false' },
  });
  const renamed = await call('PATCH', `${V2}/${own.id}`, { name: 'mine' });
  expect(renamed).toMatchObject({ status: 400, body: { invalid_fields: { name: [expect.any(String)] } } });
  const { body } = await call('POST', '/cloud/v1/projects', { name: 'fresh' });
  const fresh = await call('GET', `/cloud/v1/securitygroups/${body.id}/2`);
  expect(fresh.body.results.map(({ name }: { name: string }) => name)).toEqual(['default']);
});

test('a group is created, read, changed and deleted, and counts as long as it is there', async () => {
  const before = await quota();
  const id = await group({ description: 'for the web', tags: { team: 'a' } });
  const made = await read(id);
  expect(made).toMatchObject({
    name: 'web',
    description: 'for the web',
    project_id: 1,
    region_id: 2,
    revision_number: 0,
    tags_v2: [{ key: 'team', value: 'a', read_only: false }],
    security_group_rules: [
      {
        ...ssh,
        security_group_id: id,
        ethertype: 'IPv4',
        remote_ip_prefix: null,
        remote_group_id: null,
        description: '',
      },
      { direction: 'egress', ethertype: 'IPv4', protocol: null },
      { direction: 'egress', ethertype: 'IPv6', protocol: null },
    ],
  });
  expect(await quota()).toBe(before + 1);
  const [first] = made.security_group_rules;
  const dns = { direction: 'ingress', protocol: 'udp', port_range_min: 53, port_range_max: 53 };
  const rules = [{ ...dns, remote_ip_prefix: '10.1.0.0/16' }, ssh];
  await finished(
    await call('PATCH', `${V2}/${id}`, { name: 'names', rules, tags: { team: null } }),
    'update_security_group',
  );
  const changed = await read(id);
  expect(changed).toMatchObject({
    name: 'names',
    description: 'for the web',
    tags_v2: [],
    revision_number: 1,
  });
  expect(changed.security_group_rules).toMatchObject([{ ...dns, remote_ip_prefix: '10.1.0.0/16' }, first]);
  await changedNothing(server, await call('PATCH', `${V2}/${id}`, { name: 'names', rules }));
  expect(await call('DELETE', `${GROUPS}/${id}`)).toMatchObject({ status: 204, body: '' });
  expect((await call('GET', `${GROUPS}/${id}`)).status).toBe(404);
  expect(await quota()).toBe(before);
});

test('rules are added and deleted one by one, and one that lets the same through is refused', async () => {
  const id = await group();
  const rule = { direction: 'ingress', ethertype: 'IPv6', description: 'in' };
  const { created_resources: created } = await finished(
    await call('POST', `${V2}/${id}/rules`, rule),
    'create_security_group_rule',
  );
  const ruleId = String(created?.security_group_rules?.[0]);
  expect((await read(id)).security_group_rules.at(-1)).toMatchObject({ ...rule, id: ruleId });
  const again = await call('POST', `${V2}/${id}/rules`, rule);
  expect(again).toMatchObject({ status: 409, body: { message: expect.stringContaining(ruleId) } });
  await finished(await call('DELETE', `${V2}/${id}/rules/${ruleId}`), 'delete_security_group_rule');
  expect((await read(id)).security_group_rules).toHaveLength(3);
  expect((await call('DELETE', `${V2}/${id}/rules/${ruleId}`)).status).toBe(404);
});

test('everything that is wrong with rules is named at once, each under its rule', async () => {
  const before = await list();
  const reply = await call('POST', V2, {
    name: 'wrong',
    tags: { 'a b': 'c' },
    rules: [
      { direction: 'ingress', port_range_min: 1, port_range_max: 2 },
      { direction: 'ingress', protocol: 'tcp', port_range_min: 9, port_range_max: 2 },
      { direction: 'ingress', protocol: 'tcp', port_range_min: 9 },
      { direction: 'ingress', protocol: 'icmp', port_range_min: 300 },
      { direction: 'ingress', protocol: 'ipv6-icmp' },
      { direction: 'ingress', remote_ip_prefix: '2001:db8::/64' },
      { direction: 'ingress', remote_group_id: NOWHERE },
      { direction: 'ingress', remote_group_id: NOWHERE, remote_ip_prefix: '10.0.0.0/8' },
      { direction: 'egress' },
      { direction: 'egress', ethertype: 'IPv4' },
    ],
  });
  expect(await faultsOf(reply)).toEqual([
    'rules.0.port_range_min',
    'rules.1.port_range_min',
    'rules.2.port_range_min',
    'rules.3.port_range_min',
    'rules.4.protocol',
    'rules.5.remote_ip_prefix',
    'rules.6.remote_group_id',
    'rules.7.remote_group_id',
    'rules.9.direction',
    'tags.a b',
  ]);
  expect((await list()).count).toBe(before.count);
});

test('a copy has the same rules, and those that name the group name the copy', async () => {
  const id = await group();
  const own = { direction: 'ingress', remote_group_id: id };
  await finished(await call('POST', `${V2}/${id}/rules`, own), 'create_security_group_rule');
  const copy = await call('POST', `${GROUPS}/${id}/copy`, { name: 'copy' });
  expect(copy).toMatchObject({
    status: 200,
    body: { name: 'copy', security_group_rules: [ssh, {}, {}, {}] },
  });
  expect(copy.body.security_group_rules.at(-1)).toMatchObject({ ...own, remote_group_id: copy.body.id });
  expect(await read(copy.body.id)).toEqual(copy.body);
  expect((await call('POST', `${GROUPS}/${NOWHERE}/copy`, { name: 'copy' })).status).toBe(404);
});

test('a new group lets nothing in but what it says, and everything out unless it says that itself', async () => {
  const kindsOf = async (body: object) => kinds((await read(await group(body))).security_group_rules);
  expect(await kindsOf({ rules: undefined })).toEqual(EVERYTHING_OUT);
  expect(await kindsOf({ rules: [] })).toEqual(EVERYTHING_OUT);
  expect(await kindsOf({ rules: [ssh] })).toEqual([...EVERYTHING_OUT, 'ingress IPv4']);
  expect(await kindsOf({ rules: [ssh, { direction: 'egress', protocol: 'tcp' }] })).toEqual([
    'egress IPv4',
    'ingress IPv4',
  ]);
});

test('a group that is reverted has the rules of a default group', async () => {
  const id = await group();
  const reverted = await call('POST', `${GROUPS}/${id}/revert`);
  expect(reverted.status).toBe(200);
  expect(kinds(reverted.body.security_group_rules)).toEqual(USUAL);
  expect(await read(id)).toEqual(reverted.body);
});

test('a group that a rule of another one names is not deleted before that', async () => {
  const id = await group();
  const other = await group({ rules: [{ direction: 'ingress', remote_group_id: id.toUpperCase() }] });
  const refused = await call('DELETE', `${GROUPS}/${id}`);
  expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining(other) } });
  expect((await call('DELETE', `${GROUPS}/${other}`)).status).toBe(204);
  expect((await call('DELETE', `${GROUPS}/${id}`)).status).toBe(204);
});

test('a group holds 250 rules and not one more', async () => {
  const rules = Array.from({ length: 248 }, (_, index) => ({
    ...ssh,
    port_range_min: index + 1,
    port_range_max: index + 1,
  }));
  const id = await group({ rules });
  const more = await call('POST', `${V2}/${id}/rules`, { direction: 'ingress', protocol: 'udp' });
  expect(more).toMatchObject({ status: 400, body: { invalid_fields: { rules: [expect.any(String)] } } });
});

test('lists are filtered by name and tags, page by page, ten at a time unless asked otherwise', async () => {
  const ids: string[] = [];
  for (let index = 0; index < 3; index++)
    ids.unshift(await group({ name: 'listed', tags: { n: `${index}` } }));
  const idsOf = ({ results }: { results: { id: string }[] }) => results.map(({ id }) => id);
  expect(idsOf(await list('name=listed'))).toEqual(ids);
  expect(idsOf(await list('tag_key=n'))).toEqual(ids);
  const page = (await call('GET', `${GROUPS}?name=listed&limit=1&offset=1`)).body;
  expect([page.count, idsOf(page)]).toEqual([3, [ids[1]]]);
  const pairs = encodeURIComponent(JSON.stringify({ n: '2' }));
  expect(idsOf(await list(`tag_key_value=${pairs}`))).toEqual([ids[0]]);
  const unlimited = (await call('GET', GROUPS)).body;
  expect(unlimited.count).toBeGreaterThan(10);
  expect(unlimited.results).toHaveLength(10);
});

test("another project's groups can be neither read nor named", async () => {
  const id = await group();
  const other = { as: 'other client' } as const;
  expect((await server.call('GET', `/cloud/v1/securitygroups/2/2/${id}`, other)).status).toBe(404);
  const body = { name: 'spy', rules: [{ direction: 'ingress', remote_group_id: id }] };
  const reply = await server.call('POST', '/cloud/v2/security_groups/2/2', { ...other, body });
  expect(reply).toMatchObject({
    status: 400,
    body: { invalid_fields: { 'rules.0.remote_group_id': [expect.any(String)] } },
  });
});

test('a group says which instances it filters, and is not deleted before them', async () => {
  const id = await group();
  const members = async () => (await call('GET', `${GROUPS}/${id}/instances`)).body;
  expect(await members()).toEqual({ count: 0, results: [] });
  const image = await anImage((path) => call('GET', path));
  const body = instanceBody(image, { interfaces: [{ type: 'external', security_groups: [{ id }] }] });
  const { created_resources: created } = await finished(await call('POST', INSTANCES_V2, body), 'create_vm');
  const instance = String(created?.instances?.[0]);
  expect(await members()).toEqual({
    count: 1,
    results: [(await call('GET', `${INSTANCES}/${instance}`)).body],
  });
  const refused = await call('DELETE', `${GROUPS}/${id}`);
  expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining(instance) } });
  await finished(await call('DELETE', `${INSTANCES}/${instance}`), 'delete_vm');
  expect(await members()).toEqual({ count: 0, results: [] });
  expect((await call('DELETE', `${GROUPS}/${id}`)).status).toBe(204);
  expect((await call('GET', `${GROUPS}/${NOWHERE}/instances`)).status).toBe(404);
});
