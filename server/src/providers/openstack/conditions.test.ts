import { pino } from 'pino';
import { expect, test } from 'vitest';
import { diskCondition, imageCondition } from './conditions.ts';
import type { OpenStackOptions } from './load-balancers.ts';
import type { EngineObjects } from './marks.ts';
import type { Session } from './session.ts';
import type { FoundObject, Stored } from './stored.ts';

/** What lists of Cinder and Glance say of volumes, snapshots and images. */

function cloud(
  lists: Readonly<Record<string, readonly Partial<FoundObject>[]>>,
  named: Readonly<Record<string, string | null>> = {},
) {
  let now = 1_000_000;
  const asked: string[] = [];
  const known = new Map(['a', 'b', 'c'].map((id) => [id, { engineId: `engine ${id}`, facts: {} }]));
  const options = {
    objects: { all: async () => known } as unknown as EngineObjects,
    session: { identity: async () => ({ projectId: 'p' }) } as unknown as Session,
    log: pino({ level: 'silent' }),
    now: () => {
      now += 16_000;
      return now;
    },
    mayLook: async () => true,
    publicImages: async () => new Map(Object.entries(named)),
  } as unknown as OpenStackOptions;
  const stored = {
    all: async (kind: string, path: string) => {
      asked.push(`${kind} ${path}`);
      return lists[path] ?? [];
    },
  } as unknown as Stored;
  return { options, stored, asked };
}

const some = (...names: readonly string[]) => names.map((name) => ({ id: `engine ${name}` }));
const IDS = ['a', 'b', 'c'];

test('of disks only ids are listed, and those that are in an error', async () => {
  const { options, stored, asked } = cloud({
    '/volumes': some('a', 'b'),
    '/volumes?status=error_extending': some('b'),
  });
  const { observe, mayLook } = diskCondition(options, stored, 'volume');
  expect(await mayLook?.()).toBe(true);
  const says = expect.stringContaining('The cloud says that the volume is error_extending');
  expect(Object.fromEntries(await observe(IDS, new Set()))).toEqual({
    a: { failed: null },
    b: { failed: says },
  });
  expect(asked.slice(0, 2)).toEqual(['volume /volumes', 'volume /volumes?status=error']);
  const gone = expect.stringContaining('somebody deleted it outside of Virga');
  expect(Object.fromEntries(await observe(IDS, new Set()))).toMatchObject({ c: { failed: gone } });
});

test('an image that nobody can read is of no use, whatever the cloud calls that', async () => {
  const { options, stored, asked } = cloud({
    '/images?owner=p': [
      { id: 'engine a', status: 'active' },
      { id: 'engine b', status: 'deactivated' },
      { id: 'engine c', status: 'killed' },
    ],
  });
  const { observe } = imageCondition(options, stored);
  expect(Object.fromEntries(await observe(IDS, new Set()))).toEqual({
    a: { failed: null },
    b: { failed: expect.stringContaining('the image is deactivated') },
    c: { failed: expect.stringContaining('the image is killed') },
  });
  expect(asked).toEqual(['image /images?owner=p']);
});

test('images that everybody sees are asked for by their ids, and are of use while the cloud says so', async () => {
  const named = { public: 'engine p', deactivated: 'engine d', gone: 'engine g', 'not named': null };
  const path = '/images?visibility=all&id=in%3Aengine%20p%2Cengine%20d%2Cengine%20g';
  const { options, stored, asked } = cloud(
    {
      '/images?owner=p': [{ id: 'engine a', status: 'active' }],
      [path]: [
        { id: 'engine p', status: 'active' },
        { id: 'engine d', status: 'deactivated' },
      ],
    },
    named,
  );
  const { observe } = imageCondition(options, stored);
  const more = ': choose another one, or ask the operator of the region';
  expect(Object.fromEntries(await observe(['a', ...Object.keys(named)], new Set(['gone'])))).toEqual({
    a: { failed: null },
    public: { failed: null },
    deactivated: { failed: `The cloud says that the image is deactivated${more}` },
    gone: { failed: `The cloud has no such image any more${more}` },
    'not named': { failed: 'The region does not offer the image any more: choose another one' },
  });
  expect(asked).toEqual(['image /images?owner=p', `image ${path}`]);
});
