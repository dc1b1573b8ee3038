import { expect, test } from 'vitest';
import { Validator } from '../../server/src/platform/http/validation.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';
import { allowedCaller, nameOf, OWN_IDS, pathOf, type Spec } from './operations.ts';

/** Times at the ends of the calendar, which people send for "ever" and zones lead beyond; and what is no time. */

const server = shared(() => startTestServer({ worker: false }));

const FIRST = '0001-01-01T00:00:00Z';
const LAST = '9999-12-31T23:59:59.999999Z';
const BEYOND = ['0001-01-01T00:00:00+14:00', '9999-12-31T23:59:59-12:00'];

interface Parameter {
  readonly format?: string;
}

const timesOf = ({ query }: Spec) =>
  Object.entries((query?.properties ?? {}) as Readonly<Record<string, Parameter>>)
    .filter(([, { format }]) => format === 'date-time' || format === 'timestamp')
    .map(([name]) => name);

const requested = () =>
  server.app.routes
    .filter(({ spec }) => spec.method === 'GET')
    .flatMap(({ spec }) => timesOf(spec).map((name) => ({ spec, name })));

const statusOf = async ({ spec, name }: { spec: Spec; name: string }, time: string) => {
  const path = `${pathOf(spec, OWN_IDS)}?${name}=${encodeURIComponent(time)}`;
  const { status } = await server.call('GET', path, { as: allowedCaller(spec) });
  return { status, what: `${nameOf(spec)} ${name}=${time}` };
};

test('every list that is narrowed by a time can be asked from the first one and until the last', async () => {
  expect(requested().length).toBeGreaterThan(8);
  const wrong: string[] = [];
  for (const one of requested())
    for (const time of [FIRST, LAST]) {
      const { status, what } = await statusOf(one, time);
      if (status >= 500) wrong.push(`${status} ${what}`);
    }
  expect(wrong).toEqual([]);
});

test('a time whose year has not four digits in UTC is refused', async () => {
  const wrong: string[] = [];
  for (const one of requested())
    for (const time of BEYOND) {
      const { status, what } = await statusOf(one, time);
      if (status !== 400) wrong.push(`${status} ${what}`);
    }
  expect(wrong).toEqual([]);
});

const NO_TIMES = [
  'yesterday',
  '1795750000',
  '5',
  '2026',
  '2026-13-45T99:99:99Z',
  '2026-02-30T00:00:00Z',
  '2026-11-27T23:59:60Z',
  '2026-11-27T24:00:00Z',
  '2026-11-27T12:00:00 Europe/Berlin',
  'now',
  '-1',
];

type Node = Readonly<Record<string, unknown>>;
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** The texts of a schema that are times, or are called as if they were, each with its place. */
function timesWithin(node: unknown, scope: string): { scope: string; schema: Node }[] {
  if (!isNode(node)) return [];
  const isText = [node.type].flat().includes('string') && node.enum === undefined;
  const isTime = node.format === 'date-time' || node.format === 'timestamp';
  const own = isText && (isTime || NAMES.test(scope)) ? [{ scope, schema: node }] : [];
  const inner = Object.entries(node).flatMap(([name, value]) => timesWithin(value, `${scope}/${name}`));
  return [...own, ...inner];
}
const NAMES =
  /(\/(from|to)|[/_-](until|since|before|after|time|timestamp|date|moment|expiration|end|start|at))$/;

/** Read by their feature, since a day alone is one too. */
const DAYS_TOO = ['/storage/stats/v1/storage/usage/'];

test('what is no time is refused in every body and query that takes one', () => {
  const validator = new Validator();
  const wrong: string[] = [];
  let seen = 0;
  for (const { spec } of server.app.routes)
    for (const where of ['query', 'body'] as const)
      for (const { scope, schema } of timesWithin(spec[where], where)) {
        if (DAYS_TOO.some((path) => spec.path.startsWith(path))) continue;
        seen += 1;
        for (const text of [...NO_TIMES, ...(where === 'body' ? [1795750000] : [])]) {
          if (validator.faults(schema as never, text) === undefined) {
            wrong.push(`${nameOf(spec)} ${scope}: ${text}`);
          }
        }
      }
  expect(seen).toBeGreaterThan(15);
  expect(wrong).toEqual([]);
});

test('a time of the usage of storages may be a day, and nothing else that is no time', async () => {
  const ask = (from: string) =>
    server.call('POST', '/storage/stats/v1/storage/usage/total', { body: { from, to: '2026-03-02' } });
  expect((await ask('2026-03-01')).status).toBe(200);
  for (const text of NO_TIMES) expect((await ask(text)).status, text).toBe(400);
});
