import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readableBody } from '../../server/src/platform/http/lenient.ts';
import { Validator } from '../../server/src/platform/http/validation.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';
import { fitting } from './inputs.ts';
import { allowedCaller, isStream, nameOf, OWN_IDS, pathOf, type Spec } from './operations.ts';

/** Values as existing clients spell them: empty filters, `True` and `1` in queries, numbers as texts. */

const server = shared(() => startTestServer({ worker: false }));

type Json = Readonly<Record<string, unknown>>;

const parametersOf = ({ query }: Spec) =>
  Object.entries((query?.properties ?? {}) as Readonly<Record<string, Json>>).filter(
    ([name]) => !((query?.required ?? []) as readonly string[]).includes(name),
  );

const reads = () =>
  server.app.routes.map(({ spec }) => spec).filter((spec) => spec.method === 'GET' && !isStream(spec));

const get = (spec: Spec, query: string, headers = {}) =>
  server.call('GET', `${pathOf(spec, OWN_IDS)}${query}`, { as: allowedCaller(spec), headers });

test('an empty filter is no filter, in every list', async () => {
  const wrong: string[] = [];
  for (const spec of reads()) {
    const names = parametersOf(spec).map(([name]) => name);
    if (names.length === 0) continue;
    const plain = await get(spec, '');
    const empty = await get(spec, `?${names.map((name) => `${name}=`).join('&')}`);
    // Whoever reads this list stands in it the next time.
    const looks = spec.path === '/virga/v1/clients/{client_id}/audit_log' ? 1 : 0;
    const same =
      empty.status === plain.status && (empty.body?.count ?? 0) === (plain.body?.count ?? 0) + looks;
    if (!same) wrong.push(`${nameOf(spec)}: ${plain.status}, ${empty.status} ${JSON.stringify(empty.body)}`);
  }
  expect(wrong).toEqual([]);
});

test('booleans of queries may be written as True, 1, False and 0, unless strictness was asked for', async () => {
  const wrong: string[] = [];
  let seen = 0;
  for (const spec of reads()) {
    const names = parametersOf(spec)
      .filter(([, { type }]) => [type].flat().includes('boolean'))
      .map(([name]) => name);
    if (names.length === 0) continue;
    seen += names.length;
    const ask = (value: string, headers = {}) =>
      get(spec, `?${names.map((name) => `${name}=${value}`).join('&')}`, headers);
    for (const [plain, ...others] of SPELLINGS) {
      const expected = await ask(plain);
      for (const value of others) {
        const { status } = await ask(value);
        if (status !== expected.status) wrong.push(`${nameOf(spec)} ${names} ${value}: ${status}`);
      }
    }
    const strict = await ask('True', { 'x-virga-strict': '1' });
    const refused = Object.keys(strict.body.invalid_fields ?? strict.body);
    if (
      strict.status < 400 ||
      (strict.status === 400 && strict.body.invalid_fields && refused.length < names.length)
    ) {
      wrong.push(`${nameOf(spec)} strictly: ${strict.status} ${refused}`);
    }
  }
  expect(seen).toBeGreaterThan(10);
  expect(wrong).toEqual([]);
});

const SPELLINGS = [
  ['true', 'True', '1'],
  ['false', 'False', '0'],
] as const;

/** The value with its numbers as texts. */
function asTexts(value: unknown): unknown {
  // Very small and large ones have a form that nobody sends.
  if (typeof value === 'number') return String(value).includes('e') ? value : String(value);
  if (Array.isArray(value)) return value.map(asTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, asTexts(each)]));
}

test('a body that is right is right with its numbers as texts, for every operation', () => {
  const validator = new Validator();
  let converted = 0;
  for (const { spec } of server.app.routes) {
    const { body } = spec;
    if (!body) continue;
    fc.assert(
      fc.property(fitting(body), (value) => {
        if (validator.faults(body, value) !== undefined) return;
        const texts = asTexts(value);
        const read = readableBody(body, texts);
        expect(validator.faults(body, read), `${nameOf(spec)} ${JSON.stringify(texts)}`).toBeUndefined();
        if (JSON.stringify(texts) !== JSON.stringify(read)) converted += 1;
      }),
      { numRuns: 10, seed: 23 },
    );
  }
  expect(converted).toBeGreaterThan(100);
});

test('a number in quotes is what it says, and refused when strictness was asked for', async () => {
  const body = { name: 'spelled', source: 'new-volume', size: '5', type_name: 'standard' };
  const strict = { body, headers: { 'x-virga-strict': '1' } };
  const refused = await server.call('POST', '/cloud/v1/volumes/1/2', strict);
  expect(refused.status).toBe(400);
  expect(Object.keys(refused.body.invalid_fields)).toEqual(['size']);
  expect((await server.call('POST', '/cloud/v1/volumes/1/2', { body })).status).toBe(200);
  const page = await server.call('GET', '/cloud/v1/volumes/1/2');
  expect(page.body.results[0]).toMatchObject({ name: 'spelled', size: 5 });
  for (const size of ['five', '5 ', '05', '0x5', '', '1e1', '99999999999999999999']) {
    const reply = await server.call('POST', '/cloud/v1/volumes/1/2', { body: { ...body, size } });
    expect(reply.status, size).toBe(400);
  }
});
