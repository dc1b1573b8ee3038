import { expect, test } from 'vitest';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { sql } from '../../platform/database/sql.ts';
import { LOCKABLES } from './lock-store.ts';

const server = shared(startTestServer);

test('every table whose rows tasks lock is looked at', async () => {
  const rows = await server.db.rows<{
    table: string;
  }>(sql`select table_name as table from information_schema.columns
      where table_schema = 'public' and column_name = 'task_id' and table_name not like 'audit%'`);
  expect(LOCKABLES.map(({ table }) => table).sort()).toEqual(rows.map(({ table }) => table).sort());
});

test('a task names what it is about', async () => {
  const project = await server.call('POST', '/cloud/v1/projects', { body: { name: 'spare' } });
  const task = await server.ended(await server.call('DELETE', `/cloud/v1/projects/${project.body.id}`));
  expect(task).toMatchObject({
    subject: { type: 'project', id: String(project.body.id), name: 'spare', parent: null },
  });
});

test('the task of a storage names it, though no user action does', async () => {
  const body = { location_name: 'simulated', name: 'media' };
  const { id } = (await server.call('POST', '/storage/v4/object_storages', { body })).body;
  const { results } = (await server.call('GET', '/cloud/v1/tasks?task_type=create_object_storage')).body;
  expect(results).toMatchObject([{ subject: { type: 'object_storage', id: String(id), name: 'media' } }]);
});
