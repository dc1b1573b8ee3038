import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { ELSEWHERE } from '../generated/examples/hooks.ts';
import { examplesOf, type Paths, prepared, sendPrepared, withBody } from '../generated/examples/sent.ts';
import { forgetPeople, raiseQuotas } from '../generated/examples/settings.ts';
import { World } from '../generated/examples/world.ts';
import { nameOf } from '../generated/operations.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';
import { allNames, type Extras, extended, MARKS, queried } from './extras.ts';
import { CLIENT, Victim } from './victim.ts';

/** Every write of the document, with every column of every table and every property of the document as a further field,
 *  at the top and in each object within, with values of another client. Made from the document and the database, so
 *  that new operations and columns are in it. */

const DOCUMENT = JSON.parse(
  readFileSync(new URL('../golden/golden/openapi.json', import.meta.url), 'utf8'),
) as { tags: { name: string }[] };

const server = shared(() => startTestServer({ connections: 6 }));
let victim: Victim;
let extras: Extras;

beforeAll(async () => {
  await raiseQuotas(server, [1, CLIENT]);
  victim = await Victim.on(server);
  extras = await allNames(server.db, DOCUMENT, victim);
}, 60_000);

const documented = () => withBody(server.app.routes).filter((spec) => ELSEWHERE[nameOf(spec)] === undefined);

test.each(DOCUMENT.tags)('of $name do what they say, with further fields too', async ({ name: area }) => {
  const faults: string[] = [];
  for (const spec of documented().filter(({ tag }) => tag === area)) {
    for (const example of examplesOf(server.app.document.paths as Paths, spec)) {
      const world = await World.on(server);
      const plain = await prepared(world, example);
      const more = {
        ...plain,
        path: queried(spec, plain.path, extras),
        body: extended(spec, plain.body, extras),
      };
      const fault = await sendPrepared(world, more).then(
        () => undefined,
        (error: Error) => `${example.name}: ${error.message.replace(/\?\S*/, '').slice(0, 1000)}`,
      );
      if (fault !== undefined) faults.push(fault);
      await forgetPeople(server);
    }
  }
  expect(faults).toEqual([]);
});

test('nothing that was sent beside what they name is anywhere, and the other client has what it had', async () => {
  const elsewhere = await victim.elsewhere([...MARKS, ...victim.uuids]);
  // A row that has changed is no longer known as the victim's own: the changes say what it was.
  expect({ changes: await victim.changes(), elsewhere }).toEqual({ changes: [], elsewhere: [] });
});
