import { afterAll, beforeAll, expect, test } from 'vitest';
import { movableClock } from '../../../../../test/harness/clock.ts';
import { NOWHERE, project } from '../../../../../test/harness/project.ts';
import { startTestServer, type TestServer } from '../../../../../test/harness/server.ts';
import { waitUntil } from '../../../../../test/harness/wait.ts';
import { sql } from '../../../platform/database/sql.ts';

/** Lifecycle policies through the API; what they do is run by hand, at times that the test chooses. */

const POLICIES = '/cloud/v1/lifecycle_policy/1/2';
const SNAPSHOTS = '/cloud/v1/snapshots/1/2';
const HOUR_MS = 3_600_000;

const clock = movableClock();
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ clock });
  await server.app.background.stop();
});
afterAll(() => server.close());

const { call, finished, make } = project(() => server);
const hourly = { type: 'interval', hours: 1, max_quantity: 2 };
const volume = () => make('volumes', { source: 'new-volume', name: 'disk', size: 1 });

async function policy(body: object = {}) {
  const wish = { name: 'nightly', action: 'volume_snapshot', schedules: [hourly], ...body };
  const reply = await call('POST', POLICIES, wish);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.body;
}
const read = async (id: number) => (await call('GET', `${POLICIES}/${id}?need_volumes=true`)).body;

/** Does what is due then, on two nodes at once, and waits for the tasks that they start. */
async function due(later = 0): Promise<void> {
  clock.advance(later);
  await Promise.all([runJob(), runJob()]);
  const isIdle = async () => (await call('GET', '/cloud/v1/tasks/1/2/active')).body.count === 0;
  await waitUntil(isIdle, { what: 'the end of all tasks' });
}

function runJob() {
  const jobs = server.app.features.flatMap(({ background }) => background ?? []);
  return jobs.find(({ name }) => name === 'lifecycle-policies')?.run(new AbortController().signal);
}

async function snapshots(filter: string): Promise<{ id: string; name: string; description: string }[]> {
  const { status, body } = await call('GET', `${SNAPSHOTS}?${filter}`);
  expect(status).toBe(200);
  return body.results;
}

test('a policy is made with what was left out, and reads the same twice', async () => {
  const id = await volume();
  const made = await policy({
    volume_ids: [id, id.toUpperCase()],
    schedules: [
      hourly,
      {
        type: 'cron',
        timezone: 'Europe/Kirov',
        hour: '17,19',
        max_quantity: 5,
        retention_time: { days: 40 },
      },
    ],
  });
  expect(made).toEqual({
    id: expect.any(Number),
    name: 'nightly',
    action: 'volume_snapshot',
    status: 'active',
    project_id: 1,
    region_id: 2,
    user_id: expect.any(Number),
    volumes: [{ volume_id: id, volume_name: 'disk' }],
    refusals: [],
    schedules: [
      {
        id: expect.any(String),
        type: 'interval',
        weeks: 0,
        days: 0,
        hours: 1,
        minutes: 0,
        owner: 'lifecycle_policy',
        owner_id: made.id,
        user_id: made.user_id,
        max_quantity: 2,
        resource_name_template: 'reserve snap of the volume {volume_id}',
        retention_time: null,
      },
      {
        id: expect.any(String),
        type: 'cron',
        timezone: 'Europe/Kirov',
        week: '*',
        day_of_week: '*',
        month: '*',
        day: '*',
        hour: '17,19',
        minute: '0',
        owner: 'lifecycle_policy',
        owner_id: made.id,
        user_id: made.user_id,
        max_quantity: 5,
        resource_name_template: 'reserve snap of the volume {volume_id}',
        retention_time: { weeks: 0, days: 40, hours: 0, minutes: 0 },
      },
    ],
  });
  expect(await read(made.id)).toEqual(made);
  expect((await call('GET', `${POLICIES}/${made.id}`)).body).toEqual(made);
  const listed = (await call('GET', `${POLICIES}?need_volumes=true`)).body;
  expect(listed.results).toContainEqual(made);
  expect(listed.count).toBe(listed.results.length);
  expect((await call('DELETE', `${POLICIES}/${made.id}`)).status).toBe(204);
  expect((await call('GET', `${POLICIES}/${made.id}`)).status).toBe(404);
});

test('everything that is wrong with a policy is named at once, and nothing is made', async () => {
  const before = (await call('GET', POLICIES)).body.count;
  const { status, body } = await call('POST', POLICIES, {
    name: 'nightly',
    action: 'volume_snapshot',
    volume_ids: [NOWHERE],
    schedules: [
      { type: 'interval', max_quantity: 1, resource_name_template: '{date}' },
      { type: 'cron', max_quantity: 1, minute: '60', timezone: 'Mars' },
      { type: 'cron', max_quantity: 1, month: '2', day: '30' },
    ],
  });
  expect(status).toBe(400);
  expect(body.invalid_fields).toEqual({
    'schedules.0': ['needs at least one of weeks, days, hours, minutes'],
    'schedules.0.resource_name_template': [expect.stringMatching(/^must be 3 to 63 letters/)],
    'schedules.1.minute': ['must be "*", or numbers from 0 to 59: "0", "0,59", "0-59" or "*/2"'],
    'schedules.1.timezone': ['must be a time zone, such as UTC or Europe/Berlin'],
    'schedules.2': ['must run within ten years'],
    volume_ids: [`volume ${NOWHERE} was not found`],
  });
  expect((await call('GET', POLICIES)).body.count).toBe(before);
});

test('a schedule makes a snapshot of each volume when its time comes, and keeps the last ones', async () => {
  const [one, two] = [await volume(), await volume()];
  const { id, schedules } = await policy({ volume_ids: [one, two] });
  await due(HOUR_MS - 60_000);
  expect(await snapshots(`lifecycle_policy_id=${id}`)).toEqual([]);
  await due(60_000);
  expect(await snapshots(`volume_id=${one}`)).toMatchObject([
    {
      name: `reserve snap of the volume ${one}`,
      description: 'Made by lifecycle policy nightly',
      status: 'available',
    },
  ]);
  const [first] = await snapshots(`volume_id=${two}`);
  expect(await snapshots(`schedule_id=${schedules[0].id}`)).toHaveLength(2);
  await due(HOUR_MS);
  await due(HOUR_MS);
  await due();
  const kept = await snapshots(`volume_id=${two}`);
  expect(kept).toHaveLength(2);
  expect(kept).not.toContainEqual(first);
  expect(await snapshots(`lifecycle_policy_id=${id}`)).toHaveLength(4);
});

test('tasks and user actions say which policy has started them', async () => {
  const id = await volume();
  const { id: policyId, schedules, user_id } = await policy({ volume_ids: [id] });
  await due(HOUR_MS);
  const [task] = (await call('GET', '/cloud/v1/tasks?task_type=create_snapshot&sorting=desc&limit=1')).body
    .results;
  expect(task).toMatchObject({
    lifecycle_policy_id: policyId,
    schedule_id: schedules[0].id,
    user_id,
    project_id: 1,
    region_id: 2,
    created_resources: { snapshots: [(await snapshots(`volume_id=${id}`))[0]?.id] },
  });
  const { body } = await call('GET', '/cloud/v1/user_actions?api_group=snapshot&limit=10');
  const made = body.results.find((each: { task_id: string }) => each.task_id === task.id);
  expect(made).toMatchObject({
    action_type: 'create',
    source_user_ip: null,
    user_agent: `lifecycle policy ${policyId}`,
  });
});

test('what was missed while nobody worked is made once', async () => {
  const id = await volume();
  await policy({ volume_ids: [id], schedules: [{ ...hourly, max_quantity: 10 }] });
  await due(100 * HOUR_MS + 60_000);
  expect(await snapshots(`volume_id=${id}`)).toHaveLength(1);
  await due(HOUR_MS - 60_000);
  expect(await snapshots(`volume_id=${id}`)).toHaveLength(2);
});

test('a snapshot that cannot be made is tried again each minute, and the policy says why', async () => {
  const id = await volume();
  const { id: policyId, schedules } = await policy({ volume_ids: [id] });
  const asleep = (state: string) => server.db.rows(sql`update regions set state = ${state} where id = 2`);
  await asleep('MAINTENANCE');
  await due(HOUR_MS).finally(() => asleep('ACTIVE'));
  const message = 'Region Simulated is MAINTENANCE; changes are possible in ACTIVE regions only';
  expect((await read(policyId)).refusals).toEqual([{ schedule_id: schedules[0].id, volume_id: id, message }]);
  await due();
  expect(await snapshots(`volume_id=${id}`)).toEqual([]);
  await due(60_000);
  expect(await snapshots(`volume_id=${id}`)).toHaveLength(1);
  expect((await read(policyId)).refusals).toEqual([]);
});

test('each snapshot is deleted when its time is over, and stays when its policy is gone', async () => {
  const id = await volume();
  const brief = { ...hourly, hours: 10, retention_time: { hours: 2 } };
  const { id: policyId } = await policy({ volume_ids: [id], schedules: [brief] });
  await due(10 * HOUR_MS);
  await due(2 * HOUR_MS - 60_000);
  expect(await snapshots(`volume_id=${id}`)).toHaveLength(1);
  await due(60_000);
  expect(await snapshots(`volume_id=${id}`)).toEqual([]);
  await due(8 * HOUR_MS);
  await call('DELETE', `${POLICIES}/${policyId}`);
  await due(100 * HOUR_MS);
  expect(await snapshots(`volume_id=${id}`)).toHaveLength(1);
});

test('a paused policy makes nothing, also of what was due, and counts from when it goes on', async () => {
  const id = await volume();
  const { id: policyId } = await policy({ volume_ids: [id] });
  const set = (status: string) => call('PATCH', `${POLICIES}/${policyId}`, { status });
  clock.advance(HOUR_MS);
  expect((await set('paused')).body.status).toBe('paused');
  await due(HOUR_MS);
  await set('active');
  await due(HOUR_MS - 60_000);
  expect(await snapshots(`volume_id=${id}`)).toEqual([]);
  await due(60_000);
  expect(await snapshots(`volume_id=${id}`)).toHaveLength(1);
});

test('volumes come and go, also when they are created, and two changes are one', async () => {
  const { id: policyId } = await policy();
  const one = await make('volumes', {
    source: 'new-volume',
    name: 'disk',
    size: 1,
    lifecycle_policy_ids: [policyId],
  });
  const two = await volume();
  const change = (verb: string, ids: string[]) =>
    call('PUT', `${POLICIES}/${policyId}/${verb}_volumes_${verb === 'add' ? 'to' : 'from'}_policy`, {
      volume_ids: ids,
    });
  const ids = ({ body }: { body: { volumes: { volume_id: string }[] } }) =>
    body.volumes.map((each) => each.volume_id);
  expect(ids(await change('add', [one, two, two]))).toEqual([one, two]);
  expect(ids(await change('remove', [one, NOWHERE]))).toEqual([two]);
  expect(ids(await change('remove', []))).toEqual([two]);
  expect(await change('add', [NOWHERE])).toMatchObject({
    status: 400,
    body: { invalid_fields: { volume_ids: [`volume ${NOWHERE} was not found`] } },
  });
  await finished(call('DELETE', `/cloud/v1/volumes/1/2/${two}`));
  expect((await read(policyId)).volumes).toEqual([]);
});

test('schedules come and go, and their snapshots stay', async () => {
  const id = await volume();
  const { id: policyId, schedules } = await policy({ volume_ids: [id] });
  await due(HOUR_MS);
  const change = (verb: string, body: object) =>
    call('POST', `${POLICIES}/${policyId}/${verb}_schedules`, body);
  const added = (await change('add', { schedules: [{ ...hourly, minutes: 5 }] })).body.schedules;
  expect(added).toHaveLength(2);
  const removed = await change('remove', { schedule_ids: [schedules[0].id] });
  expect(removed.body.schedules).toEqual([added[1]]);
  expect(await snapshots(`volume_id=${id}`)).toHaveLength(1);
  expect((await change('remove', { schedule_ids: [schedules[0].id] })).body.invalid_fields).toEqual({
    schedule_ids: [`the policy has no schedule ${schedules[0].id}`],
  });
  const many = await change('add', { schedules: Array.from({ length: 10 }, () => hourly) });
  expect(many.body.invalid_fields).toEqual({ schedules: ['the policy has 1 already; 10 are the most'] });
});

test('one schedule is read and changed, and counts anew only when it runs at other times', async () => {
  const id = await volume();
  const made = await policy({ volume_ids: [id] });
  const path = `/cloud/v1/schedule/1/2/${made.schedules[0].id}`;
  expect((await call('GET', path)).body).toEqual(made.schedules[0]);
  clock.advance(HOUR_MS / 2);
  const longer = await call('PATCH', path, { max_quantity: 3, retention_time: { days: 1 } });
  expect(longer.body).toEqual({
    ...made.schedules[0],
    max_quantity: 3,
    retention_time: { weeks: 0, days: 1, hours: 0, minutes: 0 },
  });
  await due(HOUR_MS / 2);
  expect(await snapshots(`lifecycle_policy_id=${made.id}`)).toHaveLength(1);
  expect((await call('PATCH', path, { hours: 2 })).body).toMatchObject({ hours: 2, max_quantity: 3 });
  await due(HOUR_MS);
  expect(await snapshots(`lifecycle_policy_id=${made.id}`)).toHaveLength(1);
  await due(HOUR_MS);
  expect(await snapshots(`lifecycle_policy_id=${made.id}`)).toHaveLength(2);
  const cron = await call('PATCH', path, { type: 'cron', hour: '3', retention_time: null });
  expect(cron.body).toMatchObject({
    type: 'cron',
    hour: '3',
    minute: '0',
    timezone: 'UTC',
    retention_time: null,
  });
  expect((await read(made.id)).schedules).toEqual([cron.body]);
  const wrong = await call('PATCH', path, { hours: 1, minute: '77', timezone: 'Mars' });
  expect(Object.keys(wrong.body.invalid_fields).sort()).toEqual(['hours', 'minute', 'timezone']);
  const never = await call('PATCH', path, { day: '30', month: '2' });
  expect(never.body.invalid_fields).toEqual({ type: ['must run within ten years'] });
  expect((await call('GET', path)).body).toEqual(cron.body);
  for (const method of ['GET', 'PATCH']) {
    const elsewhere = await call(
      method,
      `/cloud/v1/schedule/1/2/${NOWHERE}`,
      method === 'GET' ? undefined : {},
    );
    expect(elsewhere.status).toBe(404);
  }
  expect((await server.call('GET', path, { as: 'other client' })).status).toBe(404);
});

test('schedules count, and how many snapshots a policy can have is known before', async () => {
  const usage = async () =>
    (await call('GET', '/cloud/v2/regional_quotas/1/2')).body.snapshot_schedule_count_usage;
  const before = await usage();
  const volume_ids = [await volume(), await volume()];
  const brief = { type: 'interval', hours: 2, retention_time: { hours: 5 } };
  const body = { name: 'nightly', action: 'volume_snapshot', schedules: [hourly, brief], volume_ids };
  expect((await call('POST', `${POLICIES}/estimate_max_policy_usage`, body)).body).toMatchObject({
    max_volume_snapshot_count_usage: 10,
    max_volume_snapshot_size_usage: 10,
    max_volume_snapshot_sequence_length: 5,
    max_cost: { price_status: 'hide' },
  });
  expect(await usage()).toBe(before);
  const { id, schedules } = await policy(body);
  expect(await usage()).toBe(before + 2);
  const change = (verb: string, what: object) => call('POST', `${POLICIES}/${id}/${verb}_schedules`, what);
  await change('add', { schedules: [hourly] });
  expect(await usage()).toBe(before + 3);
  await change('remove', { schedule_ids: [schedules[0].id, schedules[0].id] });
  expect(await usage()).toBe(before + 2);
  await call('DELETE', `${POLICIES}/${id}`);
  expect(await usage()).toBe(before);
});

test('a project with a policy is not empty', async () => {
  const { body } = await call('POST', '/cloud/v1/projects', { name: 'with a policy' });
  const path = `/cloud/v1/lifecycle_policy/${body.id}/2`;
  const made = await call('POST', path, { name: 'nightly', action: 'volume_snapshot' });
  expect((await call('DELETE', `/cloud/v1/projects/${body.id}`)).body.message).toBe(
    `Project ${body.id} still has 1 lifecycle policy; delete them first`,
  );
  await call('DELETE', `${path}/${made.body.id}`);
  await finished(call('DELETE', `/cloud/v1/projects/${body.id}`));
});
