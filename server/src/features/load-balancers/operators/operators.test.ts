import { expect, test } from 'vitest';
import { shared } from '../../../../../test/harness/shared.ts';
import { sql } from '../../../platform/database/sql.ts';
import { LBS, web } from '../testing/bodies.ts';
import { failing } from '../testing/fake-provider.ts';
import { startLiveRegion } from '../testing/live-region.ts';

const region = shared(startLiveRegion);

const NOBODYS = '5b2f7b0e-0f5d-4c33-9b5f-0f4f5e7a2f10';

async function created(body: object = web): Promise<string> {
  const { created_resources } = await region.finished(await region.server.call('POST', LBS, { body }));
  return String(created_resources?.loadbalancers?.[0]);
}

const operate = (method: string, id: string, what: string, body?: object) =>
  region.server.call(method, `/virga/v1/loadbalancers/${id}/${what}`, {
    as: 'operator',
    ...(body ? { body } : {}),
  });
const patch = (id: string, body: object) =>
  region.server.call('PATCH', `/cloud/v2/loadbalancers/1/2/${id}`, { body });
const get = async (id: string, query = '') => (await region.server.call('GET', `${LBS}/${id}${query}`)).body;
const tagsOf = async (id: string) =>
  Object.fromEntries((await get(id)).tags_v2.map((tag: Tag) => [tag.key, [tag.value, tag.read_only]]));

interface Tag {
  readonly key: string;
  readonly value: string;
  readonly read_only: boolean;
}

const field = {
  id: 5,
  name: 'ports',
  description: null,
  default: '80',
  field_type: 'int',
  required: true,
  validation_schema: { type: 'integer' },
};
const profile = {
  options: { active: true, bgp: false },
  site: 'ED',
  status: { status: 'Updated', error_description: '' },
  protocols: [{ port: '80', protocols: ['tcp', 'http'] }],
  profile_template_description: 'web servers',
  profile_template: { id: 3, name: 'web', description: null, fields: [field] },
  fields: [{ ...field, base_field: 5, field_value: [80, 443], value: null }],
};

test('the profile is shown as it was recorded, to those who ask for it, alone and in lists', async () => {
  const id = await created();
  const other = await created();
  expect((await get(id, '?with_ddos=true')).ddos_profile).toBeNull();
  const recorded = await operate('PUT', id, 'ddos_profile', profile);
  expect(recorded).toMatchObject({ status: 200, body: profile });
  expect(Number.isInteger(recorded.body.id)).toBe(true);
  expect((await get(id, '?with_ddos=true')).ddos_profile).toEqual(recorded.body);
  expect((await get(id, '?with_ddos=false')).ddos_profile).toBeNull();
  for (const query of ['?with_ddos=true', '?with_ddos=true&show_stats=true', '?with_ddos=true&name=web']) {
    const { body } = await region.server.call('GET', `${LBS}${query}`);
    const shown = new Map(body.results.map((row: { id: string; ddos_profile: unknown }) => [row.id, row]));
    expect(shown.get(id)).toMatchObject({ ddos_profile: recorded.body });
    expect(shown.get(other)).toMatchObject({ ddos_profile: null });
  }
  const { body } = await region.server.call('GET', LBS);
  expect(body.results.every((row: { ddos_profile: unknown }) => row.ddos_profile === null)).toBe(true);
});

test('a profile replaces the one before under the same id, and can be forgotten', async () => {
  const id = await created();
  const first = await operate('PUT', id, 'ddos_profile', profile);
  const second = await operate('PUT', id, 'ddos_profile', {
    options: { active: false, bgp: true },
    other: 1,
  });
  expect(second.body).toEqual({
    id: first.body.id,
    options: { active: false, bgp: true },
    site: null,
    status: null,
    protocols: null,
    profile_template_description: null,
    profile_template: null,
    fields: [],
  });
  expect((await operate('DELETE', id, 'ddos_profile')).status).toBe(204);
  expect((await get(id, '?with_ddos=true')).ddos_profile).toBeNull();
  expect((await operate('DELETE', id, 'ddos_profile')).status).toBe(404);
});

test('every faulty field of a profile is named', async () => {
  const id = await created();
  const faulty = { options: { active: 'yes' }, site: 'x'.repeat(51), status: { status: 'no' } };
  const { status, body } = await operate('PUT', id, 'ddos_profile', faulty);
  expect(status).toBe(400);
  expect(Object.keys(body.invalid_fields ?? body).length).toBeGreaterThan(0);
  expect((await get(id, '?with_ddos=true')).ddos_profile).toBeNull();
});

test('read-only tags are set and removed by a merge patch, beside those of the user', async () => {
  const id = await created({ ...web, tags: { mine: '1', both: 'user' } });
  const set = await operate('PATCH', id, 'read_only_tags', {
    tags: { cost: 'A7', both: 'operator', gone: 'x' },
  });
  expect(set.status).toBe(200);
  expect(await tagsOf(id)).toEqual({
    mine: ['1', false],
    both: ['operator', true],
    cost: ['A7', true],
    gone: ['x', true],
  });
  await operate('PATCH', id, 'read_only_tags', { tags: { gone: null, mine: null } });
  expect(await tagsOf(id)).toEqual({ mine: ['1', false], both: ['operator', true], cost: ['A7', true] });
  await operate('PATCH', id, 'read_only_tags', { tags: null });
  expect(await tagsOf(id)).toEqual({ mine: ['1', false] });
});

test('a user neither changes nor removes a read-only tag, also not with all others', async () => {
  const id = await created({ ...web, tags: { mine: '1' } });
  await operate('PATCH', id, 'read_only_tags', { tags: { cost: 'A7' } });
  for (const tags of [{ cost: 'free' }, { cost: null, mine: null }]) {
    const refused = await patch(id, { tags });
    expect(refused.status).toBe(400);
    expect(refused.body.invalid_fields).toEqual({ 'tags.cost': ['is read-only'] });
  }
  await region.finished(await patch(id, { tags: null }));
  expect(await tagsOf(id)).toEqual({ cost: ['A7', true] });
  const { body } = await region.server.call('GET', `${LBS}?tag_key=cost`);
  expect(body.results.map((row: { id: string }) => row.id)).toContain(id);
});

test('while a task holds the load balancer its undo would revert tags, so that they have to wait', async () => {
  const id = await created();
  region.provider.progress = [failing('no room')];
  const reply = await patch(id, { admin_state_up: false });
  const refused = await operate('PATCH', id, 'read_only_tags', { tags: { cost: 'A7' } });
  expect(refused.status).toBe(409);
  expect(JSON.stringify(refused.body)).toContain(reply.body.tasks[0]);
  await region.finished(reply);
  expect((await operate('PATCH', id, 'read_only_tags', { tags: { cost: 'A7' } })).status).toBe(200);
});

test('every change is audited, and what does not exist is not found', async () => {
  const id = await created();
  await operate('PUT', id, 'ddos_profile', profile);
  await operate('PATCH', id, 'read_only_tags', { tags: { cost: 'A7' } });
  await operate('DELETE', id, 'ddos_profile');
  const rows = await region.server.db.rows<{ action: string; project_id: number; region_id: number }>(
    sql`select action, project_id, region_id from audit_log where subject = ${id} order by id`,
  );
  expect(rows.slice(-3).map(({ action }) => action)).toEqual([
    'set_ddos_profile',
    'change_read_only_tags',
    'clear_ddos_profile',
  ]);
  expect(rows.at(-1)).toMatchObject({ project_id: 1, region_id: 2 });
  expect((await operate('PUT', NOBODYS, 'ddos_profile', profile)).status).toBe(404);
  expect((await operate('DELETE', NOBODYS, 'ddos_profile')).status).toBe(404);
  expect((await operate('PATCH', NOBODYS, 'read_only_tags', { tags: {} })).status).toBe(404);
});

test('nobody but an operator may', async () => {
  const id = await created();
  for (const as of ['Administrators', 'Engineers', 'Users', 'other client'] as const) {
    const path = `/virga/v1/loadbalancers/${id}`;
    expect((await region.server.call('PUT', `${path}/ddos_profile`, { as, body: profile })).status).toBe(403);
    expect((await region.server.call('DELETE', `${path}/ddos_profile`, { as })).status).toBe(403);
    const tags = { as, body: { tags: { a: 'b' } } };
    expect((await region.server.call('PATCH', `${path}/read_only_tags`, tags)).status).toBe(403);
  }
});
