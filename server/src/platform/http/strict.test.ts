import { closest } from 'fastest-levenshtein';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';

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

test('unknown parameters too', async () => {
  const reply = await server.call('GET', `${LBS}?show_stat=true&limit=1`, { headers });
  expect(reply.body.invalid_fields).toEqual({
    show_stat: ['is not a known parameter; did you mean show_stats?'],
  });
  expect((await server.call('GET', `${LBS}?show_stat=true`)).status).toBe(200);
  expect((await server.call('GET', `${LBS}?show_stats=true`, { headers })).status).toBe(200);
});

test('the nearest name is looked for as often as it is told', async () => {
  vi.mocked(closest).mockClear();
  const names = Array.from({ length: 5_000 }, (_, i) => [`unknown_${i}`, 1]);
  const reply = await server.call('POST', LBS, { body: Object.fromEntries(names), headers });
  expect(reply.status).toBe(400);
  expect(vi.mocked(closest).mock.calls).toHaveLength(100);
});
