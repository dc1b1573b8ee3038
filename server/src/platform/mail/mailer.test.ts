import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { expect, test } from 'vitest';
import { startTestDb } from '../../../../test/harness/db.ts';
import { startMailServer } from '../../../../test/harness/mail.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { systemClock } from '../../kernel/clock.ts';
import { Cipher, KEY_BYTES } from '../secrets/cipher.ts';
import { Mailer } from './mailer.ts';
import { queueMail } from './outbox.ts';

/** Two senders at once, as there are when one stood still and another took over. */

const smtp = shared(startMailServer);
const db = shared(startTestDb);

const mailer = (sent: string[]) =>
  new Mailer({
    db,
    clock: systemClock(),
    log: pino({ level: 'silent' }),
    cipher: new Cipher([randomBytes(KEY_BYTES)]),
    smtpUrl: smtp.url,
    from: 'virga@virga.test',
    hooks: {
      note: async (_tx, { subject }) => {
        sent.push(subject);
      },
    },
  });

const queue = (subject: string) =>
  db.transaction((tx) =>
    queueMail(tx, {
      clientId: null,
      kind: 'note',
      recipient: 'one@virga.test',
      subject,
      body: 'A note.',
      messageId: `<${subject}@virga.test>`,
      timestamp: systemClock().timestamp(),
    }),
  );

const send = (sender: Mailer) =>
  sender.jobs.find(({ name }) => name === 'mail')?.run(new AbortController().signal);

test('what two senders have read is sent by one of them', async () => {
  const subjects = Array.from({ length: 10 }, (_, i) => `note ${i}`);
  for (const subject of subjects) await queue(subject);
  const sent: string[] = [];
  await Promise.all([send(mailer(sent)), send(mailer(sent))]);
  expect(sent.sort()).toEqual(subjects);
  expect(smtp.received).toHaveLength(subjects.length);
});
