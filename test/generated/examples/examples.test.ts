import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../server/src/platform/database/sql.ts';
import { Validator } from '../../../server/src/platform/http/validation.ts';
import { startTestServer, type TestServer } from '../../harness/server.ts';
import { waitUntil } from '../../harness/wait.ts';
import { nameOf } from '../operations.ts';
import { ELSEWHERE } from './hooks.ts';
import { examplesOf, type Paths, sendExample, withBody } from './sent.ts';
import { forgetPeople, raiseQuotas } from './settings.ts';
import { World } from './world.ts';

/** Every body of the document has an example, and every example does what it says. */

const DOCUMENT = new URL('../../golden/golden/openapi.json', import.meta.url);
const { tags } = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as { tags: { name: string }[] };

let server: TestServer;
const shown = (spec: Parameters<typeof nameOf>[0]) => examplesOf(server.app.document.paths as Paths, spec);

beforeAll(async () => {
  server = await startTestServer({ connections: 4 });
  await raiseQuotas(server);
  await untilOneIsFree();
});

afterAll(() => server.close());

test('every body has an example, which fits its schema as it stands', () => {
  const validator = new Validator();
  const wrong = withBody(server.app.routes).flatMap((spec) => {
    const examples = shown(spec);
    if (examples.length === 0)
      return [`${nameOf(spec)}: say in the feature's examples.ts what one would send`];
    return examples.flatMap(({ name, body }) => {
      const faults = spec.body && validator.faults(spec.body, body);
      return faults ? [`${name}: ${faults}`] : [];
    });
  });
  expect(wrong).toEqual([]);
});

test('every example is that of one body', () => {
  const bodies = new Set(withBody(server.app.routes).map(({ body }) => body?.$id));
  const named = server.app.features.flatMap(({ examples = {} }) => Object.keys(examples));
  expect(named.filter((name) => !bodies.has(name))).toEqual([]);
  expect(named.length).toBe(new Set(named).size);
});

test.each(tags)('every example of $name does what it says', async ({ name: area }) => {
  const failed: string[] = [];
  for (const spec of withBody(server.app.routes).filter(({ tag }) => tag === area)) {
    if (ELSEWHERE[nameOf(spec)] !== undefined) continue;
    for (const example of shown(spec)) {
      const fault = await sendExample(await World.on(server), example).then(
        () => undefined,
        (error: Error) => `${example.name}: ${error.message}`,
      );
      if (fault !== undefined) failed.push(fault);
      await forgetPeople(server);
    }
  }
  expect(failed).toEqual([]);
});

test('a change that changes nothing answers a task nevertheless, and that is done', async () => {
  const changes = withBody(server.app.routes).filter(
    ({ method, response }) => ['PATCH', 'PUT'].includes(method) && response?.$id === 'TaskIds',
  );
  expect(changes.length).toBeGreaterThan(15);
  const none: string[] = [];
  for (const example of changes.flatMap(shown)) {
    const world = await World.on(server);
    await sendExample(world, example);
    const again = await sendExample(world, example);
    if (!(again.body.tasks?.length > 0)) none.push(example.name);
  }
  expect(none, 'clients use the first task unchecked').toEqual([]);
});

/** Three connections are kept: that of the leases, and those that listen, of the worker and of who waits for tasks.
 *  Then whoever waits for a second one within a transaction never gets it. */
async function untilOneIsFree(): Promise<void> {
  await waitUntil(
    async () => {
      const { body } = await server.call('POST', '/cloud/v1/networks/1/2', { body: { name: 'awaited' } });
      await server.call('GET', `/cloud/v1/tasks/${body.tasks[0]}`);
      return (
        (await server.db.number(sql`select count(*) as count from pg_stat_activity
                      where datname = current_database() and query ilike 'listen %'`)) === 2
      );
    },
    { what: 'somebody who listens for tasks' },
  );
}
