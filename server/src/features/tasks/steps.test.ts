import { expect, test } from 'vitest';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { sql } from '../../platform/database/sql.ts';

const server = shared(() => startTestServer({ worker: false }));

test('a running task says what it does in words, whatever its type is', async () => {
  await server.call('POST', '/cloud/v1/networks/1/2', { body: { name: 'net' } });
  const [task] = (await server.call('GET', '/cloud/v1/tasks')).body.results;
  const steps: Record<string, string> = {};
  for (const { type } of server.app.handlers) {
    await server.db.run(
      sql`update tasks set state = 'RUNNING', step = null, type = ${type} where id = ${task.id}`,
    );
    steps[type] = (await server.call('GET', `/cloud/v1/tasks/${task.id}`)).body.step;
  }
  expect(Object.keys(steps).length).toBeGreaterThan(80);
  const bad = Object.entries(steps).filter(
    ([, step]) => !/^(?!running|working)[a-z]+ing [a-z0-9 ]+$/.test(step),
  );
  expect(bad).toEqual([]);
});
