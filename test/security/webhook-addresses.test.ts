import { expect, test } from 'vitest';
import { parseNetwork } from '../../server/src/kernel/ip.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** Addresses that nothing is ever sent to are refused when they are saved. */

const server = shared(() => startTestServer({ worker: false }));
const allowing = shared(() =>
  startTestServer({ worker: false, webhookNetworks: [parseNetwork('10.0.0.0/8')].filter((each) => !!each) }),
);

const subscribe = (to: Pick<TestServer, 'call'>, host: string) =>
  to.call('POST', '/cloud/v1/user_actions/subscribe', {
    body: { url: `https://${host}/hook`, auth_header_name: 'x-secret', auth_header_value: 'secret' },
  });

const listed = async (to: Pick<TestServer, 'call'>) =>
  (await to.call('GET', '/cloud/v1/user_actions/subscriptions_list')).body.count;

const PRIVATE = [
  '127.0.0.1',
  '127.1',
  '0x7f000001',
  '2130706433',
  '0',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '192.0.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd12::1]',
  '[ff02::1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  'printer.local',
  'metadata.google.internal',
  'hooks.internal.',
];

test.each(PRIVATE)('user actions are not subscribed to at %s', async (host) => {
  const { status, body } = await subscribe(server, host);
  expect(status).toBe(400);
  expect(body.invalid_fields).toEqual({ url: [expect.stringContaining('is not on the internet')] });
  expect(await listed(server)).toBe(0);
});

test('user actions are subscribed to on the internet, and where the operator allows it', async () => {
  for (const host of ['hooks.example.com', '93.184.215.14', '[2606:4700::1111]', 'internal.example.com']) {
    expect((await subscribe(server, host)).status, host).toBe(204);
  }
  for (const host of ['10.1.2.3', 'hooks.internal']) {
    expect((await subscribe(allowing, host)).status, host).toBe(204);
  }
  expect((await subscribe(allowing, '192.168.1.1')).status).toBe(400);
});
