import { expect, test } from 'vitest';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** What a client can be notified of: four kinds of storage events, and the warning before a quota is used up. How
 *  they are sent is in the tests of storage notifications and of the quota threshold. */

const server = shared(() => startTestServer({ worker: false }));

const EVENT = '/storage/notifications/v1/event';

test.each([
  ['reaching_used_space', 'bytes'],
  ['reaching_files_quantity', 'count'],
  ['reaching_used_traffic', 'bytes'],
  ['reaching_used_requests', 'count'],
])('%s has a threshold in %s, for a storage or for one bucket', async (name, unit) => {
  for (const scope of [{ storage_name: 'media' }, { storage_name: 'media', bucket_name: 'photos' }]) {
    const { status, body } = await server.call('POST', EVENT, { body: { name, ...scope, [unit]: 7 } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ name, ...scope, [unit]: 7, uuid: expect.stringMatching(/./) });
  }
});

test('there are no other kinds', async () => {
  const reply = await server.call('POST', EVENT, {
    body: { name: 'reaching_the_moon', storage_name: 'media', count: 1 },
  });
  expect([reply.status, reply.body]).toEqual([400, { error: expect.stringContaining('name') }]);
  const { body } = await server.call('GET', '/storage/notifications/v1/events');
  expect(Object.keys(body).sort()).toEqual([
    'reaching_files_quantity',
    'reaching_used_requests',
    'reaching_used_space',
    'reaching_used_traffic',
  ]);
});

test('the quota threshold is a percentage, and remembers when a mail was last sent', async () => {
  const { body } = await server.call('GET', '/cloud/v2/client_quotas/1/notification_threshold');
  expect(body).toMatchObject({ client_id: 1, threshold: 80, last_sending: null });
});
