import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteOldLinks } from '../../server/src/features/iam/link-store.ts';
import { deleteOldSignIns } from '../../server/src/features/iam/user-store.ts';
import { deleteEndedMail } from '../../server/src/platform/mail/outbox.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';

/** What is old is forgotten, and nothing else. */

let server: TestServer;
const NOW = new Date('2026-06-01T00:00:00Z');

beforeAll(async () => {
  server = await startTestServer({ worker: false });
});

afterAll(() => server.close());

async function left(table: string, column: string): Promise<string[]> {
  const { rows } = await server.db.pool.query(`select ${column} as value from ${table} order by 1`);
  return rows.map(({ value }) => String(value));
}

test('attempts to sign in and links whose time is over go, later ones stay', async () => {
  await server.db.pool.query(
    `insert into sign_ins (client_id, user_id, at, ip, user_agent)
     values (1, 1, '2026-05-30', '127.0.0.1', 'old'), (1, 1, '2026-05-31', '127.0.0.1', 'new')`,
  );
  await server.db.pool.query(
    `insert into one_time_links (hash, user_id, expires_at)
     values ('\\x01', 1, '2026-05-31T23:59:59Z'), ('\\x02', 1, '2026-06-01T00:00:01Z')`,
  );
  await deleteOldSignIns(server.db, new Date('2026-05-30T12:00:00Z'));
  await deleteOldLinks(server.db, NOW);
  expect(await left('sign_ins', 'user_agent')).toEqual(['new']);
  expect(await left('one_time_links', `encode(hash, 'hex')`)).toEqual(['02']);
});

test('mail goes when it was sent or refused long ago; what waits stays, however old', async () => {
  const mail = (id: string, sent: string, failed: string) =>
    `('test', 'a@b.test', '${id}', '', '${id}', '2020-01-01', '2020-01-01', ${sent}, ${failed})`;
  await server.db.pool.query(
    `insert into mail_outbox (kind, recipient, subject, body, message_id, created_at, next_attempt_at, sent_at, failed_at)
     values ${mail('sent long ago', `'2026-05-01'`, 'null')}, ${mail('refused long ago', 'null', `'2026-05-01'`)},
            ${mail('sent', `'2026-05-31'`, 'null')}, ${mail('waits', 'null', 'null')}`,
  );
  await deleteEndedMail(server.db, new Date('2026-05-30T00:00:00Z'));
  expect(await left('mail_outbox', 'subject')).toEqual(['sent', 'waits']);
});
