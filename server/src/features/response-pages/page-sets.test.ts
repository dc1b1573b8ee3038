import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { sql } from '../../platform/database/sql.ts';
import { MAX_SETS } from './service.ts';

let server: TestServer;
const URL = '/waap/v1/custom-page-sets';

beforeAll(async () => {
  server = await startTestServer({ worker: false });
});

afterAll(() => server.close());

const create = (body: unknown) => server.call('POST', URL, { body });
const block = { enabled: true, header: 'Stop right here', text: 'This is a text of at least twenty.' };

test('a set is created, read, changed page by page, and deleted', async () => {
  const logo = (
    await sharp({ create: { width: 9, height: 9, channels: 3, background: '#fff' } })
      .png()
      .toBuffer()
  ).toString('base64');
  const created = await create({ name: 'first', domains: [3, 1], block, captcha: { enabled: false, logo } });
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({ name: 'first', domains: [3, 1], block, handshake: null });
  const url = `${URL}/${created.body.id}`;
  const handshake = { enabled: true, title: 'One moment' };
  const patched = await server.call('PATCH', url, { body: { name: null, block: null, handshake } });
  expect(patched).toMatchObject({ status: 204, body: '' });
  expect((await server.call('GET', url)).body).toEqual({
    ...created.body,
    block: null,
    handshake,
    captcha: { enabled: false, logo },
  });
  await server.call('PATCH', url, { body: { domains: null, name: 'second' } });
  expect((await server.call('GET', url)).body).toMatchObject({ domains: null, name: 'second', handshake });
  expect((await server.call('DELETE', url)).status).toBe(204);
  expect((await server.call('GET', url)).status).toBe(404);
  expect((await server.call('DELETE', url)).body).toMatchObject({ type: 'http-not-found', status: 404 });
});

test('four large logos are accepted by every call that writes them', async () => {
  const pixels = Buffer.from(Array.from({ length: 450 * 130 * 4 }, (_, i) => (i * 2_654_435_761) >>> 13));
  const raw = { width: 450, height: 130, channels: 4 } as const;
  const logo = (await sharp(pixels, { raw }).png({ compressionLevel: 0 }).toBuffer()).toString('base64');
  const pages = Object.fromEntries(
    ['block', 'block_csrf', 'captcha', 'handshake'].map((page) => [page, { enabled: true, logo }]),
  );
  expect(JSON.stringify(pages).length).toBeGreaterThan(1024 * 1024);
  const created = await create({ name: 'logos', ...pages });
  expect(created.status).toBe(201);
  const url = `${URL}/${created.body.id}`;
  expect((await server.call('PATCH', url, { body: pages })).status).toBe(204);
  const newer = await server.call('PATCH', url.replace('/v1/', '/v2/'), { body: pages });
  expect([newer.status, newer.body.block?.logo]).toEqual([200, logo]);
  await server.call('DELETE', url);
});

test('the list is ordered, filtered and paged', async () => {
  const ids = [];
  for (const name of ['list b', 'list a', 'list_c', 'other']) ids.push((await create({ name })).body.id);
  const names = async (query: string) => {
    const { body } = await server.call('GET', `${URL}?${query}`);
    return [body.count, ...body.results.map((set: { name: string }) => set.name)];
  };
  expect(await names('name=list*&ordering=name')).toEqual([3, 'list a', 'list b', 'list_c']);
  expect(await names('name=list_c')).toEqual([1, 'list_c']);
  expect(await names('name=list%25')).toEqual([0]);
  expect(await names('name=list*&ordering=-id&limit=1&offset=1')).toEqual([3, 'list a']);
  expect(await names('name=list*&limit=0')).toEqual([3]);
  expect(await names(`ids=${ids[0]}&ids=${ids[3]}`)).toEqual([2, 'list b', 'other']);
  expect(await names(`ids=${ids[1]}`)).toEqual([1, 'list a']);
  const { body } = await server.call('GET', URL);
  expect(body).toMatchObject({ limit: 100, offset: 0 });
  const faulty = await server.call('GET', `${URL}?limit=101&offset=-1&ordering=age`);
  expect(faulty.status).toBe(422);
  expect(faulty.body.errors.map((error: { loc: unknown }) => error.loc)).toEqual(
    expect.arrayContaining([
      ['query', 'limit'],
      ['query', 'offset'],
      ['query', 'ordering'],
    ]),
  );
});

test('every faulty field is named, wherever it is, and nothing is created', async () => {
  const before = (await server.call('GET', URL)).body.count;
  const reply = await create({
    name: '',
    colour: 'red',
    domains: [0],
    block: { ...block, logo: 'AAAA' },
    captcha: { header: 'no', enabled: 'yes', logo: '!' },
    cookie_disabled: { logo: 'AAAA', enabled: true },
  });
  expect(reply.status).toBe(422);
  expect(reply.headers['content-type']).toMatch(/^application\/problem\+json/);
  const locs = reply.body.errors.map(({ loc }: { loc: string[] }) => loc.join('.'));
  expect(new Set(locs)).toEqual(
    new Set([
      'body.name',
      'body.colour',
      'body.domains.0',
      'body.block.logo',
      'body.captcha.header',
      'body.captcha.enabled',
      'body.captcha.logo',
      'body.cookie_disabled.logo',
    ]),
  );
  expect((await server.call('GET', URL)).body.count).toBe(before);
});

test('a set belongs to its client, and readers may not change it', async () => {
  const { body } = await create({ name: 'mine' });
  const url = `${URL}/${body.id}`;
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const reply = await server.call(method, url, {
      as: 'other client',
      ...(method === 'PATCH' ? { body: { name: 'x' } } : {}),
    });
    expect(reply.status, method).toBe(404);
  }
  expect((await server.call('GET', `${URL}?ids=${body.id}`, { as: 'other client' })).body.count).toBe(0);
  expect((await server.call('GET', url, { as: 'Users' })).status).toBe(200);
  const refused = await server.call('DELETE', url, { as: 'Users' });
  expect(refused.status).toBe(403);
  expect(Object.keys(refused.body)).toEqual(['detail']);
});

test('changes of different pages at once are all kept', async () => {
  const { body } = await create({ name: 'busy' });
  const url = `${URL}/${body.id}`;
  const pages = ['block', 'block_csrf', 'captcha', 'cookie_disabled', 'handshake', 'javascript_disabled'];
  await Promise.all(pages.map((page) => server.call('PATCH', url, { body: { [page]: { enabled: true } } })));
  const { body: set } = await server.call('GET', url);
  for (const page of pages) expect(set[page], page).toEqual({ enabled: true });
});

test('an account keeps so many sets, and its own alone count', async () => {
  await server.db.run(sql`insert into custom_page_sets (client_id, name, pages, created_at)
     select 2, 'set ' || i, '{}', now() from generate_series(1, ${MAX_SETS - 1}::int) i`);
  const set = (as: 'other client' | 'Administrators') =>
    server.call('POST', URL, { body: { name: 'more' }, as });
  const both = await Promise.all([set('other client'), set('other client')]);
  expect(both.map(({ status }) => status).sort()).toEqual([201, 403]);
  expect(both.find(({ status }) => status === 403)?.body.detail).toContain(`There are ${MAX_SETS} sets`);
  expect((await set('Administrators')).status).toBe(201);
});
