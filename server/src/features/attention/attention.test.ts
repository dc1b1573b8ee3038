import { expect, test } from 'vitest';
import { people } from '../../../../test/harness/people.ts';
import { project } from '../../../../test/harness/project.ts';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { sql } from '../../platform/database/sql.ts';
import { makeCertificate } from '../secrets/testing/certificates.ts';

/** What of a project needs a person, in all its regions. */

const server = shared(startTestServer);
const { call, make, read } = project(() => server);
const ATTENTION = '/virga/v1/attention/1';

interface Item {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly region_id: number | null;
  readonly severity: string;
  readonly reason: string;
}
const needs = async (): Promise<readonly Item[]> => (await read(ATTENTION)).results;
const needOf = async (kind: string) => (await needs()).filter((item) => item.kind === kind);

test('where all is well, nothing does', async () => {
  expect(await read(ATTENTION)).toEqual({ count: 0, results: [] });
});

test('a load balancer without a listener, until it has one', async () => {
  const id = await make('loadbalancers', { name: 'mute' });
  expect(await needOf('load_balancer')).toMatchObject([
    { id, name: 'mute', region_id: 2, severity: 'degraded', reason: expect.stringContaining('no listener') },
  ]);
  await make('lblisteners', { name: 'web', protocol: 'HTTP', protocol_port: 80, load_balancer_id: id });
  expect(await needOf('load_balancer')).toEqual([]);
});

test('a quota at its threshold, and one that is full', async () => {
  const set = (network_count_limit: number) =>
    server.call('PATCH', '/virga/v1/clients/1/quotas', {
      as: 'operator',
      body: { regional_limits: [{ region_id: 2, network_count_limit }] },
    });
  await make('networks', { name: 'one', create_router: false });
  expect((await set(1)).status).toBe(200);
  const item = { id: 'network_count', name: 'network_count', region_id: 2 };
  expect(await needOf('quota')).toMatchObject([{ ...item, severity: 'failed' }]);
  await set(100);
  expect(await needOf('quota')).toEqual([]);
});

test('a task that failed, until somebody has acknowledged it', async () => {
  await server.db.run(sql`insert into tasks (id, client_id, project_id, region_id, user_id, type, state, error, created_at, updated_at, finished_at)
     values (gen_random_uuid(), 1, 1, 2, 1, 'create_vm', 'ERROR', 'No machine has room', now(), now(), now())`);
  const [task] = await needOf('task');
  expect(task).toMatchObject({ name: 'create_vm', severity: 'failed', reason: 'No machine has room' });
  await call('POST', `/cloud/v1/tasks/${task?.id}/acknowledge`);
  expect(await needOf('task')).toEqual([]);
});

test('a certificate that expires within 30 days, and one that has expired', async () => {
  const { certificate, privateKey } = await makeCertificate(['bakery.example.test']);
  const secret = { certificate, certificate_chain: certificate, private_key: privateKey };
  await make('secrets', { name: 'bakery', payload: secret });
  expect(await needOf('secret')).toEqual([]);
  const ends = (text: string) =>
    server.db.rows(sql`update secrets set not_after = now() + ${text}::interval`);
  await ends('10 days 1 hour');
  expect(await needOf('secret')).toMatchObject([
    { name: 'bakery', severity: 'degraded', reason: expect.stringMatching(/^Expires in \d+ days$/) },
  ]);
  await ends('-1000 days');
  expect(await needOf('secret')).toMatchObject([{ severity: 'failed', reason: 'Has expired' }]);
  await server.db.run(sql`delete from secrets`);
});

test('a PostgreSQL cluster that lets nobody in, and one that is down', async () => {
  const insert = (name: string, acl: readonly string[], phase: string) =>
    server.db.rows(sql`insert into postgresql_clusters (id, client_id, project_id, region_id, name, status, spec, observed, creator_task_id, created_at)
       values (gen_random_uuid(), 1, 1, 2, ${name}, 'READY', ${JSON.stringify({ acl })}, ${JSON.stringify({ servers: { phase } })}, gen_random_uuid(), now())`);
  await insert('shut', [], 'serving');
  await insert('open', ['0.0.0.0/0'], 'serving');
  await insert('dead', ['0.0.0.0/0'], 'down');
  const found = await needOf('postgresql_cluster');
  expect(found.map(({ name, severity }) => `${name} ${severity}`)).toEqual(['dead failed', 'shut degraded']);
  await server.db.run(sql`delete from postgresql_clusters`);
});

test('instances and volumes that failed, and nodes that are not ready', async () => {
  const volume = await make('volumes', { name: 'torn', size: 1, source: 'new-volume' });
  await server.db.run(sql`update volumes set status = 'error_deleting' where id = ${volume}`);
  expect(await needOf('volume')).toMatchObject([{ id: volume, severity: 'failed' }]);
  await server.db.run(sql`update volumes set status = 'available' where id = ${volume}`);
  expect(await needOf('instance')).toEqual([]);
  expect(await needOf('kubernetes_cluster')).toEqual([]);
});

test('a webhook whose last delivery failed, for administrators alone', async () => {
  await server.db.run(sql`with k as (select id from master_keys limit 1), t as (
       insert into webhook_targets (client_id, url, key_id, sealed, created_at, kind, auth_header_name)
       select 1, 'https://hooks.example.test', k.id, '', now(), 'user_actions', 'Authorization' from k returning id)
     insert into webhook_deliveries (id, event_id, client_id, target_id, url, type, data, attempts, last_error, next_attempt_at, created_at)
     select gen_random_uuid(), gen_random_uuid(), 1, t.id, 'https://hooks.example.test', 'user_action', '{}', 1,
            'it answered 500', now() + interval '1 hour', now() from t`);
  expect(await needOf('webhook')).toMatchObject([
    {
      name: 'https://hooks.example.test',
      region_id: null,
      reason: expect.stringContaining('it answered 500'),
    },
  ]);
  const others = people(server);
  await others.join('baker@virga.test', 'Engineers');
  const { access } = await others.signIn('baker@virga.test');
  expect((await others.bearer('GET', ATTENTION, access)).body.results).toEqual([]);
  expect((await server.call('GET', ATTENTION, { as: 'other client' })).status).toBe(404);
});
