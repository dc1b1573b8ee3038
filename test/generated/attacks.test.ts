import { expect, test } from 'vitest';
import { MAX_NAMED } from '../../server/src/kernel/named-faults.ts';
import { BODY_LIMIT, JSON_BOUNDS, PUBLIC_BODY_LIMIT } from '../../server/src/platform/http/bounds.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';
import { type Attack, attacksOn, type Operation, operationsOf } from './attacks.ts';

/** The worst shapes of input to every operation: never a 5xx, a refusal below 64 KB, and a bounded amount of work,
 *  which is counted: how many faults are named, and how many were found before the checking ended. What that takes in
 *  milliseconds is measured by `npm run bench -- attack`. */

const server = shared(() => startTestServer({ worker: false }));

const ANSWER_LIMIT = 64 * 1024;
/** Bytes of the longest bodies: room for more values and levels than any body may have. */
const SIZE = 72 * 1024;
/** No more than one for each value that a body may have. */
const MOST_FOUND = JSON_BOUNDS.values;

interface Outcome {
  readonly status: number;
  readonly bytes: number;
  readonly text: string;
}

async function attack(
  { method }: Operation,
  { path, body }: Attack,
  token: string | undefined,
  headers: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const { statusCode, rawPayload } = await server.api.inject({
    method: method as 'GET',
    url: path,
    headers: {
      ...headers,
      ...(token === undefined ? {} : { authorization: `APIKey ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { payload: body }),
  });
  return { status: statusCode, bytes: rawPayload.length, text: rawPayload.toString() };
}

/** Faults that a refusal names, and those that it only counts. */
function faultsIn(text: string): { readonly named: number; readonly counted: number } {
  const counted = Number(/(\d+) more faults? (?:is|are) not named/.exec(text)?.[1] ?? 0);
  const body = text.startsWith('{') ? JSON.parse(text) : {};
  const fields: Record<string, unknown> = body.invalid_fields ?? {};
  return { named: Object.values(fields).flat().length, counted };
}

function wrongWith({ status, bytes, text }: Outcome): string | undefined {
  if (status >= 500) return `answers ${status}`;
  if (status < 400) return undefined;
  if (bytes > ANSWER_LIMIT) return `answers ${bytes} bytes`;
  const { named, counted } = faultsIn(text);
  if (named > MAX_NAMED) return `names ${named} faults`;
  return named + counted > MOST_FOUND ? `finds ${named + counted} faults` : undefined;
}

/** Shapes with many names or items, which strict mode looks at one by one. */
const STRICT = /unknown fields|long names|wide map|too many|many names/;

const operations = () => operationsOf(server.app.document);

test('no shape of input to any operation makes much work or is answered at length', {
  timeout: 600_000,
}, async () => {
  expect(operations().length).toBeGreaterThan(200);
  const faults: string[] = [];
  for (const operation of operations()) {
    const token = operation.open
      ? undefined
      : server.tokens[operation.operator ? 'operator' : 'Administrators'];
    for (const each of attacksOn(operation, operation.open ? PUBLIC_BODY_LIMIT : SIZE)) {
      const wrong = wrongWith(await attack(operation, each, token));
      if (wrong) faults.push(`${operation.name}, ${each.shape}: ${wrong}`);
      if (!STRICT.test(each.shape)) continue;
      const strict = wrongWith(await attack(operation, each, token, { 'x-virga-strict': '1' }));
      if (strict) faults.push(`${operation.name}, ${each.shape}, strict: ${strict}`);
    }
  }
  expect(faults).toEqual([]);
});

test('without a token nothing is read that needs one', { timeout: 600_000 }, async () => {
  for (const operation of operations().filter(({ open }) => !open)) {
    const [first] = attacksOn(operation, BODY_LIMIT).filter(({ shape }) => shape.includes('empty objects'));
    if (!first) continue;
    const { status, bytes } = await attack(operation, first, undefined);
    expect([operation.name, status, bytes < 500]).toEqual([operation.name, 401, true]);
  }
});
