import { randomUUID } from 'node:crypto';
import { closest } from 'fastest-levenshtein';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { faultsOf } from '../../../../test/harness/project.ts';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { unknownFields } from './strict.ts';

vi.mock('fastest-levenshtein', { spy: true });

let server: TestServer;
const LBS = '/cloud/v1/loadbalancers/1/2';
const headers = { 'x-virga-strict': '1' };

beforeAll(async () => {
  server = await startTestServer({ worker: false });
});
afterAll(() => server.close());

const body = {
  name: 'web',
  flavour: 'small',
  listeners: [{ name: 'http', protocol: 'HTTP', protocol_port: 80, protocol_prot: 1, tmout: 2 }],
  metadata: { any: 'key' },
};

test('unknown fields are refused, each with the nearest known name, and ignored when nobody asks', async () => {
  const strict = await server.call('POST', LBS, { body, headers });
  expect(strict.status).toBe(400);
  expect(strict.body.invalid_fields).toEqual({
    flavour: ['is not a known field; did you mean flavor?'],
    'listeners.0.protocol_prot': ['is not a known field; did you mean protocol_port?'],
    'listeners.0.tmout': ['is not a known field'],
  });
  const { flavour: _, ...rest } = body;
  expect((await server.call('POST', LBS, { body: rest })).status).toBe(200);
});

test('unknown fields of bodies of several kinds are refused too, but none that another kind has', async () => {
  const volume = { source: 'new-volume', name: 'data', size: 1, siez: 2, image_id: null };
  const reply = await server.call('POST', '/cloud/v1/volumes/1/2', { body: volume, headers });
  expect(reply.body.invalid_fields).toEqual({ siez: ['is not a known field; did you mean size?'] });
});

test('unknown parameters too', async () => {
  const reply = await server.call('GET', `${LBS}?show_stat=true&limit=1`, { headers });
  expect(reply.body.invalid_fields).toEqual({
    show_stat: ['is not a known parameter; did you mean show_stats?'],
  });
  expect((await server.call('GET', `${LBS}?show_stat=true`)).status).toBe(200);
  expect((await server.call('GET', `${LBS}?show_stats=true`, { headers })).status).toBe(200);
});

test('fields are refused where an operation has none, and ignored when nobody asks', async () => {
  const acknowledge = `/cloud/v1/tasks/${randomUUID()}/acknowledge`;
  const reply = await server.call('POST', acknowledge, { body: { x: 1 }, headers });
  expect(reply.status).toBe(400);
  expect(reply.body.invalid_fields).toEqual({ x: ['is not a known field; there is none'] });
  expect((await server.call('POST', acknowledge, { body: { x: 1 } })).status).toBe(404);
  expect((await server.call('POST', acknowledge, { body: {}, headers })).status).toBe(404);
});

test('the nearest name is looked for as often as it is named', async () => {
  vi.mocked(closest).mockClear();
  const names = Array.from({ length: 5_000 }, (_, i) => [`unknown_${i}`, 1]);
  const reply = await server.call('POST', LBS, { body: Object.fromEntries(names), headers });
  expect(reply.status).toBe(400);
  expect(vi.mocked(closest).mock.calls).toHaveLength(100);
});

test('unknown names are refused together with everything else that is wrong', async () => {
  const reply = await server.call('POST', `${LBS}?tag=1`, {
    body: { name: '-', flavour: 'small', listeners: [{ ...body.listeners[0], protocol_port: 0 }] },
    headers,
  });
  expect(await faultsOf(reply)).toEqual([
    'flavour',
    'listeners.0.protocol_port',
    'listeners.0.protocol_prot',
    'listeners.0.tmout',
    'name',
    'tag',
  ]);
});

test('a field that nobody knows is named once, and faults of query and body are named at once', async () => {
  const quotas = '/virga/v1/clients/1/quotas';
  const options = { as: 'operator', headers, body: { global_limits: { project_cnt_limit: 1 } } } as const;
  const reply = await server.call('PATCH', quotas, options);
  expect(Object.values(reply.body.invalid_fields).flat()).toHaveLength(1);

  const page = await server.call('POST', '/waap/v1/preview-custom-page?page_type=none', {
    body: { header: 'x', foo: 1 },
    headers,
  });
  expect(page.status).toBe(422);
  expect(page.body.errors.map(({ loc }: { loc: unknown }) => loc)).toEqual([
    ['query', 'page_type'],
    ['body', 'foo'],
    ['body', 'header'],
  ]);
});

test('shapes are made once for each place of a schema, not for each item of a list or name of a map', () => {
  let looked = 0;
  const item = { type: 'object', properties: { name: { type: 'string' } } };
  const schema = {
    type: 'object',
    properties: {
      list: {
        type: 'array',
        get items() {
          looked += 1;
          return item;
        },
      },
    },
  };
  const list = Array.from({ length: 1000 }, () => ({ name: 'a' }));
  expect(unknownFields(schema, { list }).any).toBe(false);
  expect(looked).toBeLessThan(10);
  expect(unknownFields(schema, { list: [...list, { nmae: 'a' }] }).any, 'refused for its length').toBe(false);
  expect(unknownFields(schema, { list: [{ nmae: 'a' }] }).any).toBe(true);
});
