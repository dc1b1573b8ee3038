import type { Db, Queryable, Tx } from '../database/db.ts';
import { forgetOld } from '../database/forget-old.ts';
import { listPage, type Paging } from '../database/list-page.ts';
import { listOf, type RowOf } from '../database/rows.ts';
import { sql } from '../database/sql.ts';
import type { Backlog } from '../metrics/cluster.ts';
import { type Audience, keepNotification } from '../notifications/notifications.ts';
import type { Cipher, Sealed } from '../secrets/cipher.ts';

/** Mail is an outbox in the database: written in the transaction that causes it, sent afterwards. What is secret in
 *  a mail is encrypted as long as it waits, and forgotten when it is sent. */

/** Where the secret of a mail stands in its body. */
export const SECRET = '{{secret}}';

export interface NewMail {
  readonly clientId: number | null;
  /** What it is about, for those who send it and read the outbox: `quota_threshold`. */
  readonly kind: string;
  readonly recipient: string;
  readonly subject: string;
  readonly body: string;
  /** What stands in the place of `SECRET` in the body, and how it is encrypted. */
  readonly secret?: { readonly text: string; readonly cipher: Cipher };
  /** Handed to the kind's hook when the mail has been sent. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Who reads it in the portal, too; absent: nobody. */
  readonly shownTo?: Audience;
  readonly messageId: string;
  readonly timestamp: string;
}

const MAIL_COLUMNS = [
  'id',
  'client_id',
  'kind',
  'recipient',
  'subject',
  'body',
  'details',
  'message_id',
  'created_at',
  'attempts',
  'sent_at',
  'failed_at',
  'error',
  'key_id',
  'sealed',
] as const;
const COLUMNS = listOf(MAIL_COLUMNS);

export type MailRow = RowOf<
  'mail_outbox',
  typeof MAIL_COLUMNS,
  { details: Readonly<Record<string, unknown>> }
>;

export async function queueMail(tx: Tx, mail: NewMail): Promise<void> {
  const sealed: Sealed | undefined = mail.secret?.cipher.seal(mail.secret.text, contextOf(mail.messageId));
  await tx.run(sql`insert into mail_outbox (client_id, kind, recipient, subject, body, details, message_id, created_at,
                              next_attempt_at, key_id, sealed)
     values (${mail.clientId}, ${mail.kind}, ${mail.recipient}, ${mail.subject}, ${mail.body}, ${JSON.stringify(mail.details ?? {})}, ${mail.messageId}, ${mail.timestamp}, ${mail.timestamp}, ${sealed?.keyId ?? null}, ${sealed?.box ?? null})`);
  const { shownTo: to, kind, subject, timestamp } = mail;
  if (!to) return;
  const body = mail.secret ? null : mail.body;
  await keepNotification(tx, { to, kind, means: 'mail', subject, body, timestamp });
}

const contextOf = (messageId: string) => `mail ${messageId}`;

/** The body with its secret, as it is sent. */
export function wholeBody(cipher: Cipher, mail: MailRow): string {
  if (mail.key_id === null || mail.sealed === null) return mail.body;
  const secret = cipher.open({ keyId: mail.key_id, box: mail.sealed }, contextOf(mail.message_id));
  return mail.body.replace(SECRET, () => secret);
}

/** Encrypts the secrets of all mail under the current master key.
 *  @returns how many there were */
export async function resealMail(tx: Tx, cipher: Cipher): Promise<number> {
  const rows = await tx.rows<{ id: number; message_id: string; key_id: string; sealed: Buffer }>(
    sql`select id, message_id, key_id, sealed from mail_outbox where key_id is not null and sealed is not null for update`,
  );
  for (const { id, message_id, key_id: keyId, sealed: box } of rows) {
    const context = contextOf(message_id);
    const anew = cipher.seal(cipher.open({ keyId, box }, context), context);
    await tx.run(sql`update mail_outbox set key_id = ${anew.keyId}, sealed = ${anew.box} where id = ${id}`);
  }
  return rows.length;
}

/** What is due, oldest first. */
export async function readWaitingMail(db: Queryable, timestamp: string): Promise<MailRow[]> {
  return db.rows<MailRow>(sql`select ${COLUMNS} from mail_outbox
      where sent_at is null and failed_at is null and next_attempt_at <= ${timestamp} order by id limit 100`);
}

/** Writes an attempt down before it is made, with when the next one may follow: a crash repeats it then.
 *  @returns whether it is still the caller's to send: a sender that stood still finds its mail with another */
export async function claimMail(
  db: Queryable,
  { id, attempts }: MailRow,
  { timestamp, retryInSeconds }: { timestamp: string; retryInSeconds: number },
): Promise<boolean> {
  return db.any(sql`update mail_outbox set attempts = attempts + 1,
       next_attempt_at = ${timestamp}::timestamptz + make_interval(secs => ${retryInSeconds}::int)
      where id = ${id} and attempts = ${attempts} and sent_at is null and failed_at is null returning 1`);
}

/** @returns whether it was not yet noted */
export async function markMailSent(tx: Tx, id: number, timestamp: string): Promise<boolean> {
  return tx.any(sql`update mail_outbox set sent_at = ${timestamp}, failed_at = null, error = null, key_id = null, sealed = null
      where id = ${id} and sent_at is null returning 1`);
}

/** Notes why an attempt failed. @param isLast no further attempt follows */
export async function markMailFailed(
  db: Queryable,
  id: number,
  failure: { error: string; timestamp: string; isLast: boolean },
): Promise<void> {
  await db.run(sql`update mail_outbox set error = ${failure.error}, failed_at = case when ${failure.isLast} then ${failure.timestamp}::timestamptz end
      where id = ${id} and sent_at is null and failed_at is null`);
}

/** For metrics. */
export const mailWaiting: Backlog = {
  name: 'mail_waiting',
  help: 'Mail in the outbox that was neither sent nor refused for good',
  count: async (db) => {
    return db.number(
      sql`select count(*) as count from mail_outbox where sent_at is null and failed_at is null`,
    );
  },
};

/** The whole outbox, newest first. */
export const listMail = (db: Db, page: Paging) =>
  listPage<MailRow>(db, {
    prepared: true,
    table: 'mail_outbox',
    alias: 'm',
    columns: COLUMNS,
    ...page,
    where: [sql`true`],
    order: 'id desc',
  });

/** Forgets mail that was sent or refused before a moment. What waits stays, however old. */
export async function deleteEndedMail(db: Queryable, before: Date): Promise<void> {
  await forgetOld(db, {
    table: 'mail_outbox',
    by: 'coalesce(sent_at, failed_at)',
    before: before.toISOString(),
    where: '(sent_at is not null or failed_at is not null)',
  });
}
