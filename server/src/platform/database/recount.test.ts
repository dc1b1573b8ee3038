import { expect, test } from 'vitest';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { deleteEndedMail, queueMail } from '../mail/outbox.ts';
import { foldCounts } from './kept-counts.ts';
import { recountAfterOlderNodes } from './recount.ts';

/** Mail, clients and targets of webhooks are counted by the statements that write them, and anew when older nodes have written some. */

const server = shared(() => startTestServer({ worker: false }));

const { signal } = new AbortController();
const query = (text: string) => server.db.pool.query(text);
const countOf = async (list: 'clients' | 'outbox' | 'webhook_targets') =>
  (await server.call('GET', `/virga/v1/${list}?limit=1`, { as: 'operator' })).body.count;

async function send(): Promise<void> {
  await server.db.transaction((tx) =>
    queueMail(tx, {
      ...{ clientId: null, kind: 'test', recipient: 'a@b.test', subject: '', body: '', messageId: '' },
      timestamp: '2026-01-01T00:00:00Z',
    }),
  );
}

test('mail is counted when it is queued, when it is undone, and when it is forgotten', async () => {
  await send();
  await send();
  await expect(
    server.db.transaction(async (tx) => {
      await queueMail(tx, {
        ...{ clientId: null, kind: 'test', recipient: '', subject: '', body: '', messageId: '' },
        timestamp: '2026-01-01T00:00:00Z',
      });
      throw new Error('undone');
    }),
  ).rejects.toThrow('undone');
  expect(await countOf('outbox')).toBe(2);
  await foldCounts(server.db).run(signal);
  await query(`update mail_outbox set sent_at = '2026-01-02' where id = 1`);
  await deleteEndedMail(server.db, new Date('2026-02-01'));
  expect(await countOf('outbox')).toBe(1);
  await deleteEndedMail(server.db, new Date('2026-02-01'));
  expect(await countOf('outbox')).toBe(1);
});

test('clients are counted when they come', async () => {
  const before = await countOf('clients');
  expect(before).toBe(2);
  const body = { name: 'Three', email: 'three@virga.test' };
  expect((await server.call('POST', '/virga/v1/clients', { body, as: 'operator' })).status).toBe(201);
  expect(await countOf('clients')).toBe(before + 1);
});

test('what older nodes have written is counted when the last of them is gone', async () => {
  const { rows } = await query(
    `insert into nodes (session, name, role, version) values (gen_random_uuid(), 'old', 'all', '0.2.0') returning session`,
  );
  const job = recountAfterOlderNodes(server.db);
  const counts = () => Promise.all([countOf('clients'), countOf('outbox'), countOf('webhook_targets')]);
  const [clients, mail, targets] = await counts();
  await query(`insert into clients (name, email) values ('old', 'old@virga.test')`);
  await query(
    `insert into webhook_targets (client_id, url, key_id, sealed, created_at)
     select 1, 'http://127.0.0.1:9/', id, '', now() from master_keys limit 1`,
  );
  await query('delete from mail_outbox');
  await job.run(signal);
  expect(await counts()).toEqual([clients, mail, targets]);
  await query(`delete from nodes where session = '${rows[0].session}'`);
  await job.run(signal);
  expect(await counts()).toEqual([clients + 1, 0, targets + 1]);
  // Once is enough.
  await query(`insert into clients (name, email) values ('by hand', 'hand@virga.test')`);
  await job.run(signal);
  expect(await counts()).toEqual([clients + 1, 0, targets + 1]);
});
