import { expect, test } from 'vitest';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';
import { allowedCaller, nameOf, OWN_IDS, pathOf, type Spec } from './operations.ts';

/** Times at the ends of the calendar, which people send for "ever" and zones lead beyond. */

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

const asked = () =>
  server.app.routes
    .filter(({ spec }) => spec.method === 'GET')
    .flatMap(({ spec }) => timesOf(spec).map((name) => ({ spec, name })));

const statusOf = async ({ spec, name }: { spec: Spec; name: string }, time: string) => {
  const path = `${pathOf(spec, OWN_IDS)}?${name}=${encodeURIComponent(time)}`;
  const { status } = await server.call('GET', path, { as: allowedCaller(spec) });
  return { status, what: `${nameOf(spec)} ${name}=${time}` };
};

test('every list that is narrowed by a time can be asked from the first one and until the last', async () => {
  expect(asked().length).toBeGreaterThan(8);
  const wrong: string[] = [];
  for (const one of asked())
    for (const time of [FIRST, LAST]) {
      const { status, what } = await statusOf(one, time);
      if (status >= 500) wrong.push(`${status} ${what}`);
    }
  expect(wrong).toEqual([]);
});

test('a time whose year has not four digits in UTC is refused', async () => {
  const wrong: string[] = [];
  for (const one of asked())
    for (const time of BEYOND) {
      const { status, what } = await statusOf(one, time);
      if (status !== 400) wrong.push(`${status} ${what}`);
    }
  expect(wrong).toEqual([]);
});
