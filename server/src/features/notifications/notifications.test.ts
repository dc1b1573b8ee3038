import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { people } from '../../../../test/harness/people.ts';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { parseNetwork } from '../../kernel/ip.ts';
import { forgetNotifications, keepNotification } from '../../platform/notifications/notifications.ts';

/** What people were notified of, and have read. */

const server = shared(() =>
  startTestServer({
    webhookNetworks: [parseNetwork('127.0.0.0/8')].filter((each) => each !== undefined),
  }),
);
const PATH = '/virga/v1/notifications';

interface Seen {
  readonly id: number;
  readonly kind: string;
  readonly subject: string;
  readonly body: string | null;
  readonly is_read: boolean;
}

const kindsOf = ({ results }: { results: readonly Seen[] }) => results.map(({ kind }) => kind);

async function reader(email: string, role: string) {
  const others = people(server);
  await others.join(email, role);
  const { access } = await others.signIn(email);
  const send = (method: string, path: string, body?: unknown) => others.bearer(method, path, access, body);
  return { send, seen: async (query = '') => (await send('GET', `${PATH}${query}`)).body };
}

test('a threshold is for everybody of the account, and each has marks of their own', async () => {
  const anna = await reader('anna@virga.test', 'Users');
  const ben = await reader('ben@virga.test', 'Engineers');
  expect(await anna.seen()).toMatchObject({ unread: 0, results: [] });
  const limits = { regional_limits: [{ region_id: 2, network_count_limit: 1 }] };
  await server.call('PATCH', '/virga/v1/clients/1/quotas', { as: 'operator', body: limits });
  const network = { name: 'one', create_router: false };
  await server.ended(await server.call('POST', '/cloud/v1/networks/1/2', { body: network }));
  const found = await waitUntil(
    async () => {
      const seen = await anna.seen();
      return seen.unread > 0 && seen.count > 0 ? seen : undefined;
    },
    { what: 'the notification' },
  );
  const [one] = found.results as readonly Seen[];
  expect(one).toMatchObject({ kind: 'quota_threshold', means: 'mail', is_read: false });
  expect(one?.body).toContain('networks in Simulated: 1 of 1');
  expect((await anna.send('POST', `${PATH}/read`, { up_to: one?.id })).status).toBe(204);
  expect(await anna.seen()).toMatchObject({ unread: 0, count: 1, results: [{ is_read: true }] });
  expect(await anna.seen('?is_read=false')).toMatchObject({ count: 0 });
  expect(await ben.seen('?is_read=false')).toMatchObject({ unread: 1, count: 1 });
  expect((await anna.send('PATCH', `${PATH}/${one?.id}`, { is_read: false })).status).toBe(204);
  expect(await anna.seen('?is_read=true')).toMatchObject({ unread: 1, count: 0 });
  expect((await anna.send('PATCH', `${PATH}/${one?.id}`, { is_read: true })).status).toBe(204);
  const elsewhere = await server.call('GET', PATH, { as: 'other client' });
  expect(elsewhere.body).toMatchObject({ count: 0, unread: 0 });
  const foreign = await server.call('PATCH', `${PATH}/${one?.id}`, {
    as: 'other client',
    body: { is_read: true },
  });
  expect(foreign.status).toBe(404);
});

test('what somebody signs in with is for them alone, without what is secret', async () => {
  const carl = await reader('carl@virga.test', 'Administrators');
  const dora = await reader('dora@virga.test', 'Administrators');
  await server.call('POST', '/iam/auth/password/forgot', { body: { email: 'carl@virga.test' } });
  const mine = (await carl.seen()).results.filter(({ kind }: Seen) => kind === 'password_reset');
  expect(mine).toMatchObject([{ subject: 'Set a new password', body: null }]);
  expect(kindsOf(await dora.seen())).not.toContain('password_reset');
});

test('an address that is given up is for administrators, once an hour', async () => {
  const receiver = createServer((_request, response) => response.writeHead(410).end());
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const eve = await reader('eve@virga.test', 'Administrators');
  const finn = await reader('finn@virga.test', 'Engineers');
  const hook = { url, auth_header_name: 'X-Hook', auth_header_value: 'secret' };
  await server.call('POST', '/cloud/v1/user_actions/subscribe', { body: hook });
  await server.call('POST', '/cloud/v1/ssh_keys/1', { body: { name: 'key' } });
  await waitUntil(async () => kindsOf(await eve.seen()).includes('webhook_failed') || undefined, {
    what: 'the notification',
  });
  receiver.close();
  expect(kindsOf(await finn.seen())).not.toContain('webhook_failed');
  const keep = (source: string, timestamp: string) =>
    server.db.transaction((tx) =>
      keepNotification(tx, {
        to: { db: server.db, clientId: 1, administrators: true },
        kind: 'test',
        means: 'webhook',
        subject: 'It failed',
        body: null,
        source,
        timestamp,
      }),
    );
  await keep('a', '2026-01-01T10:00:00Z');
  await keep('a', '2026-01-01T10:59:00Z');
  await keep('b', '2026-01-01T10:59:00Z');
  await keep('a', '2026-01-01T11:01:00Z');
  const tests = async () => kindsOf(await eve.seen()).filter((kind) => kind === 'test').length;
  expect(await tests()).toBe(3);
  await forgetNotifications(server.db, new Date('2026-01-01T11:00:00Z'));
  expect(await tests()).toBe(1);
});
