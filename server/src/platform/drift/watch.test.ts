import { pino } from 'pino';
import { expect, test } from 'vitest';
import { type Observes, watchJob } from './watch.ts';

/** Whose rows are noted, and what is said of regions that cannot be asked. */

async function watched(providers: Readonly<Record<number, Observes<string>>>) {
  const said: string[] = [];
  const noted: string[] = [];
  const stream = { write: (line: string) => void said.push(JSON.parse(line).msg) };
  const job = watchJob<{ readonly id: string; readonly status_reason: string | null }, string>(
    { regionIds: () => [1, 2, 3], log: pino({}, stream) },
    {
      noun: 'instances',
      providerOf: (regionId) => providers[regionId],
      readAll: async (regionId) =>
        ['a', 'b'].map((name) => ({
          id: `${name}${regionId}`,
          status_reason: name === 'b' ? 'broken' : null,
        })),
      note: async ({ id }, seen, regionId) => void noted.push(`${id} ${seen} ${regionId}`),
    },
  );
  await job.run(new AbortController().signal);
  return { said, noted };
}

const gone = async (ids: readonly string[], failed: ReadonlySet<string>) => {
  expect([...failed]).toEqual(ids.slice(1));
  return new Map([[ids[0] ?? '', 'gone']]);
};

test('what a region names is noted, in those where this node looks and things change by themselves', async () => {
  const { noted, said } = await watched({
    1: {},
    2: { observe: gone },
    3: { observe: gone, mayLook: async () => false },
  });
  expect(noted).toEqual(['a2 gone 2']);
  expect(said).toEqual([]);
});

test('a region that cannot be asked is named in the log, and others are looked at', async () => {
  const failing = async () => {
    throw new Error('it does not answer');
  };
  const { noted, said } = await watched({ 1: { observe: failing }, 2: { observe: gone } });
  expect(noted).toEqual(['a2 gone 2']);
  expect(said).toEqual(['instances could not be looked at: it does not answer']);
});
