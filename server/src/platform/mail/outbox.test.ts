import { expect, test } from 'vitest';
import { startMailServer } from '../../../../test/harness/mail.ts';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { sql } from '../database/sql.ts';

/** Tokens in mail. */

const mail = shared(startMailServer);
const server = shared(() => startTestServer({ smtpUrl: mail.url }));

const TOKEN = /^ {2}(\S{20,})/m;

const inDatabase = async () => {
  const [row] = await server.db.rows<{
    text: string;
    sealed: Buffer | null;
  }>(sql`select o::text || coalesce(encode(sealed, 'escape'), '') as text, sealed from mail_outbox o
      order by id desc limit 1`);
  return row;
};

const shown = async (): Promise<string> => {
  const { body } = await server.call('GET', '/virga/v1/outbox?limit=1', { as: 'operator' });
  return body.results[0].body;
};

test('are sealed while the mail waits, and forgotten when it is sent', async () => {
  mail.refuse(450);
  await server.call('POST', '/iam/auth/password/forgot', { body: { email: 'one@virga.test' } });
  const token = TOKEN.exec(await shown())?.[1] ?? '';
  expect(token, 'operators may pass it on').not.toBe('');
  expect((await inDatabase())?.text).not.toContain(token);
  mail.refuse(undefined);
  await server.db.run(sql`update mail_outbox set next_attempt_at = now()`);
  await waitUntil(async () => (mail.received.length > 0 ? true : undefined), { what: 'the mail to come' });
  expect(mail.received[0]?.text).toContain(token);
  const row = await waitUntil(
    async () => {
      const after = await inDatabase();
      return after?.sealed === null ? after : undefined;
    },
    { what: 'the token to be forgotten' },
  );
  expect(row.text).not.toContain(token);
  expect(await shown()).not.toContain(token);
  const set = { token, password: 'a new password' };
  expect((await server.call('POST', '/virga/v1/password', { body: set })).status).toBe(204);
});
