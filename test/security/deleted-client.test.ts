import { expect, test } from 'vitest';
import { raw, sql } from '../../server/src/platform/database/sql.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';
import { waitUntil } from '../harness/wait.ts';
import { CLIENT, Victim } from './victim.ts';

/** Of a client that was deleted nothing is left, in whatever table. */

const server = shared(() => startTestServer());

/** What is kept of the deletion is the operator's. */
const OF_THE_DELETION = ['delete_client'];

test('a client that had something of everything leaves no row in any table', async () => {
  const operate = (method: string, path: string, body?: unknown) =>
    server.call(method, path, { as: 'operator', ...(body === undefined ? {} : { body }) });
  const asIts = (method: string, path: string, body?: unknown) =>
    server.call(method, path, { as: 'other client', ...(body === undefined ? {} : { body }) });
  const victim = await Victim.on(server);
  const email = 'mia@example.test';
  const path = `/virga/v1/clients/${CLIENT}`;
  const person = { email, user_role: { name: 'Users' }, password: 'correct horse battery' };
  const { user_id: userId } = (await operate('POST', `${path}/users`, person)).body;
  await server.call('POST', '/iam/auth/jwt/login', { body: { username: email, password: person.password } });
  await server.call('POST', '/iam/auth/password/forgot', { body: { email } });
  await asIts('POST', '/iam/clients/invite_user', {
    email: 'noa@example.test',
    user_role: { name: 'Users' },
    client_id: CLIENT,
  });
  await asIts('POST', `/cloud/v3/inference/${victim.project}/secrets`, {
    name: 'key',
    type: 'aws-iam',
    data: { aws_access_key_id: 'A', aws_secret_access_key: 'B' },
  });
  const acting = await operate('POST', `${path}/act`, { reason: 'Ticket 4711' });
  await server.call('GET', '/cloud/v1/projects', { token: acting.body.token });

  await operate('POST', `${path}/suspend`, { reason: 'It leaves', data_planes: 'stopped' });
  const reply = await operate('DELETE', path);
  expect(reply.status).toBe(200);
  expect((await operate('DELETE', path)).status).toBe(409);
  expect((await operate('POST', `${path}/resume`)).status).toBe(409);
  const steps = new Set<string>();
  const task = await waitUntil(
    async () => {
      const { body } = await server.call('GET', `/cloud/v1/tasks/${reply.body.tasks[0]}`);
      steps.add(body.step);
      return ['FINISHED', 'ERROR'].includes(body.state) && body;
    },
    { what: 'the client to be deleted' },
  );
  expect([task.error, task.state]).toEqual([null, 'FINISHED']);
  expect([...steps].some((step) => / left$/.test(step ?? ''))).toBe(true);
  expect((await operate('GET', path)).status).toBe(404);

  const left: string[] = [];
  const columns = await server.db.rows<{
    table: string;
    columns: string[];
  }>(sql`select table_name as table, array_agg(column_name::text) as columns from information_schema.columns c
      join pg_class k on k.relname = c.table_name and k.relnamespace = 'public'::regnamespace
      where table_schema = 'public' and not k.relispartition and k.relkind in ('r', 'p') group by 1`);
  for (const { table, columns: names } of columns) {
    const rows = await server.db.rows<{ values: Record<string, unknown> }>(
      sql`select to_jsonb(t) as values from ${raw(table)} t`,
    );
    for (const { values } of rows) {
      const ofDeletion = OF_THE_DELETION.includes(String(values.type ?? values.action));
      const isIts =
        values.client_id === CLIENT ||
        values.project_id === victim.project ||
        (table === 'clients' && values.id === CLIENT) ||
        (table === 'users' && [victim.user, userId].includes(values.id as number)) ||
        (names.includes('user_id') && [victim.user, userId].includes(values.user_id as number));
      const text = JSON.stringify(values);
      const named = [...victim.uuids, email, 'noa@example.test'].find((mark) => text.includes(mark));
      if (!ofDeletion && (isIts || named !== undefined)) left.push(`${table}: ${named ?? ''} ${text}`);
    }
  }
  expect(left).toEqual([]);
}, 180_000);
