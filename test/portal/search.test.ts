import { expect, test } from 'vitest';
import { type Read, searchNouns } from '../../console/src/app/search-nouns.ts';

const LOAD_BALANCERS = '/cloud/v1/loadbalancers/{project_id}/{region_id}';
const VOLUMES = '/cloud/v1/volumes/{project_id}/{region_id}';
const OLD = '0192f5d0-0000-7000-8000-00000000abcd';

/** Each list has two resources, of which the first page has the newer one. */
const read: Read = async (path, query) => {
  const all = [{ id: '0192f5d0-0000-7000-8000-000000001234', name: 'web new' }];
  const old = { id: OLD, name: 'web old' };
  const { name, name_part: part } = query;
  if (path === LOAD_BALANCERS) {
    if (name !== undefined)
      return name === old.name ? { count: 1, results: [old] } : { count: 0, results: [] };
    return { count: 2, results: all };
  }
  if (path === VOLUMES) {
    if (part !== undefined)
      return { count: 1, results: [old].filter((one) => one.name.includes(String(part))) };
    return { count: 2, results: all };
  }
  return path === `${LOAD_BALANCERS}/${OLD}` ? old : undefined;
};

const found = async (text: string) =>
  (await searchNouns(text, read)).found.map(({ kind, name }) => `${kind} ${name}`);

test('what is beyond the first page of a long list is found by its whole name or id', async () => {
  expect(await found('web old')).toEqual(['Load balancer web old', 'Volume web old']);
  expect(await found(OLD)).toEqual(['Load balancer web old']);
});

test('a whole name comes before all that only begin with it, however many these are', async () => {
  const others = Array.from({ length: 50 }, (_, index) => ({ id: `${index}`, name: `web ${index + 10}` }));
  const many: Read = async (path, { name }) => {
    if (path !== LOAD_BALANCERS) return undefined;
    return name === undefined
      ? { count: 51, results: others }
      : { count: 1, results: [{ id: OLD, name: 'web 1' }] };
  };
  const { found: all } = await searchNouns('web 1', many);
  expect(all.map(({ name }) => name).slice(0, 3)).toEqual(['web 1', 'web 10', 'web 11']);
  // Where the API finds parts of names, the whole one may be the last that it answers.
  const parts: Read = async (path, { name_part: part, limit }) => {
    if (path !== VOLUMES) return undefined;
    const matching = [...others, { id: OLD, name: 'web 1' }].slice(0, Number(limit));
    return part === undefined ? { count: 5000, results: [] } : { count: 51, results: matching };
  };
  expect((await searchNouns('web 1', parts)).found[0]?.name).toBe('web 1');
});

test('a part of a name is looked for by the API where it can, else in the first page, and that is said', async () => {
  expect(await found('old')).toEqual(['Volume web old']);
  expect(await found('new')).toEqual(['Load balancer web new', 'Volume web new']);
  expect(await searchNouns('old', read)).toMatchObject({
    isPartial: false,
    cut: [{ kind: 'Load balancer', hasNames: true }],
  });
});

test('what could not be read is told apart from what is not there', async () => {
  const failing: Read = async (path, query) => {
    if (path === VOLUMES) throw new Error('503');
    return read(path, query);
  };
  expect(await searchNouns('new', failing)).toMatchObject({
    isPartial: true,
    found: [{ name: 'web new', page: ['load-balancers', '0192f5d0-0000-7000-8000-000000001234'] }],
  });
  expect(await searchNouns('nothing', async () => undefined)).toEqual({
    found: [],
    isPartial: false,
    cut: [],
  });
});

test('those that have a name and no id are all found', async () => {
  const results = [{ name: 'bucket one' }, { name: 'bucket two' }];
  const secrets: Read = async (path) =>
    path === '/cloud/v3/inference/{project_id}/secrets' ? { count: 2, results } : undefined;
  const { found: all } = await searchNouns('bucket', secrets);
  expect(all.map(({ id, name }) => [id, name])).toEqual([
    ['bucket one', 'bucket one'],
    ['bucket two', 'bucket two'],
  ]);
});

test('an id that is a number leads beyond the first page, too', async () => {
  const storages: Read = async (path) =>
    path.startsWith('/storage/v4/object_storages')
      ? path.endsWith('/7')
        ? { id: 7, name: 'photos' }
        : { count: 5, results: [] }
      : undefined;
  expect((await searchNouns('7', storages)).found.map(({ name }) => name)).toEqual(['photos']);
});
