import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Validator } from '../../server/src/platform/http/validation.ts';
import { type Reply, startTestServer, type TestServer } from '../harness/server.ts';
import { fitting, hostile, hostileText, nearly } from './inputs.ts';
import { allowedCaller, fingerprint, isStream, nameOf, OWN_IDS, pathOf, type Spec } from './operations.ts';

/** Whatever anybody sends to any operation: never a 5xx, every answer valid against its schema, and nothing is
 *  changed by a refusal. Operations come from the route table, so that new ones are covered by themselves. */

let server: TestServer;

beforeAll(async () => {
  // Without a worker: what is accepted stays as it was accepted, and only calls change the database.
  server = await startTestServer({ worker: false });
});

afterAll(() => server.close());

const RUNS = Number(process.env.VIRGA_TEST_RUNS ?? 25);
const validator = new Validator();

interface Sent {
  readonly path: string;
  readonly body: unknown;
}

function requests(spec: Spec): fc.Arbitrary<Sent> {
  const path = fc.oneof(
    { weight: 6, arbitrary: fc.constant(pathOf(spec, OWN_IDS)) },
    { weight: 1, arbitrary: hostileText.map((text) => poisonedPath(spec, text)) },
  );
  const query = spec.query
    ? fc.oneof(fitting(spec.query), nearly(spec.query)).map(toQuery)
    : fc.constantFrom('', '?x=1');
  const body = spec.body
    ? fc.oneof(
        { weight: 3, arbitrary: fitting(spec.body) },
        { weight: 3, arbitrary: nearly(spec.body) },
        { weight: 1, arbitrary: hostile },
        { weight: 1, arbitrary: fc.constantFrom('{', '[1,', '"', '{"a":1}}') },
      )
    : fc.constant(undefined);
  return fc.tuple(path, query, body).map(([p, q, b]) => ({ path: `${p}${q}`, body: b }));
}

function poisonedPath(spec: Spec, text: string): string {
  return spec.path.replace(/\{\w+\}/g, encodeURIComponent(text.toWellFormed()).slice(0, 300) || '%20');
}

function toQuery(value: unknown): string {
  const parts = Object.entries((value ?? {}) as Record<string, unknown>).flatMap(([name, item]) =>
    [item].flat().map((each) => {
      const text = typeof each === 'object' ? JSON.stringify(each) : String(each);
      return `${encodeURIComponent(name)}=${encodeURIComponent(text.toWellFormed())}`;
    }),
  );
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

function check(spec: Spec, reply: Reply): void {
  expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(500);
  if (reply.status >= 400) {
    expect(typeof reply.body, 'an error is an object that says what is wrong').toBe('object');
    return;
  }
  // Reports come as a table too, where that is asked for.
  if (String(reply.headers['content-type']).startsWith('text/csv')) return;
  if (spec.response) expect(validator.faults(spec.response, reply.body)).toBeUndefined();
}

test('no input to any operation breaks the server, its answers or its data', async () => {
  const routes = server.app.routes.filter(({ spec }) => !isStream(spec));
  expect(routes.length).toBeGreaterThan(20);
  // What a refusal left is what the next call finds.
  let known: string | undefined;
  for (const { spec } of routes) {
    const property = fc.asyncProperty(requests(spec), async ({ path, body }) => {
      const before = known ?? (await fingerprint(server));
      known = undefined;
      const options = body === undefined ? {} : { body };
      const reply = await server.call(spec.method, path, { as: allowedCaller(spec), ...options });
      check(spec, reply);
      if (reply.status < 400) return;
      expect(await fingerprint(server), 'a refusal changed something').toBe(before);
      known = before;
    });
    await fc.assert(property, { numRuns: RUNS, seed: 20260131 }).catch((error) => {
      throw new Error(`${nameOf(spec)}: ${error.message}\n${error.cause?.message ?? ''}`, { cause: error });
    });
  }
});
