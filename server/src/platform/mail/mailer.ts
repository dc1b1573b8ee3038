import type { Transporter } from 'nodemailer';
import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db, Tx } from '../database/db.ts';
import type { BackgroundJob } from '../feature.ts';
import type { Cipher } from '../secrets/cipher.ts';
import {
  claimMail,
  deleteEndedMail,
  type MailRow,
  markMailFailed,
  markMailSent,
  readWaitingMail,
  wholeBody,
} from './outbox.ts';

/** Called in the transaction that marks a mail as sent, with when that was. */
export type MailSentHook = (tx: Tx, mail: MailRow, timestamp: string) => Promise<void>;

export interface MailerOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly cipher: Cipher;
  /** `smtp://user:password@host:port`; undefined: mail stays in the outbox, where operators read it. */
  readonly smtpUrl: string | undefined;
  readonly from: string;
  readonly hooks: Readonly<Record<string, MailSentHook>>;
}

const TIMEOUT_MS = 15_000;
const LONGEST_PAUSE_S = 15 * 60;
const FORGET_EVERY_MS = 3_600_000;
/** Mail that was sent or refused stays in the outbox for 90 days. */
const KEPT_MS = 90 * 86_400_000;

/** Sends what the outbox holds. A mail is sent once, unless the program dies or stands still between the server's
 *  acceptance and its own note of it; then it goes out again under the same Message-ID. */
export class Mailer {
  readonly #options: MailerOptions;
  #transport: Transporter | undefined;

  constructor(options: MailerOptions) {
    this.#options = options;
  }

  /** Nothing is sent without an SMTP server. */
  get jobs(): readonly BackgroundJob[] {
    const { db, clock, smtpUrl } = this.#options;
    const forget = () => deleteEndedMail(db, new Date(clock.now().getTime() - KEPT_MS));
    const jobs = [{ name: 'mail-forget', everyMs: FORGET_EVERY_MS, exclusive: true, run: forget }];
    if (smtpUrl === undefined) return jobs;
    const send = (signal: AbortSignal) => this.#sendWaiting(signal);
    return [...jobs, { name: 'mail', everyMs: 500, exclusive: true, run: send }];
  }

  async #sendWaiting(signal: AbortSignal): Promise<void> {
    const { db, clock } = this.#options;
    for (const mail of await readWaitingMail(db, clock.timestamp())) {
      if (signal.aborted) return;
      await this.#send(mail);
    }
  }

  async #send(mail: MailRow): Promise<void> {
    const { db, clock, log, hooks } = this.#options;
    const retryInSeconds = Math.min(2 ** mail.attempts, LONGEST_PAUSE_S);
    if (!(await claimMail(db, mail, { timestamp: clock.timestamp(), retryInSeconds }))) return;
    try {
      await this.#hand(mail);
    } catch (error) {
      const isLast = isPermanent(error);
      const next = isLast ? {} : { retryInSeconds };
      log.warn({ mail: mail.id, kind: mail.kind, ...next }, `mail was not sent: ${messageOf(error)}`);
      await markMailFailed(db, mail.id, { error: messageOf(error), timestamp: clock.timestamp(), isLast });
      return;
    }
    await db.transaction(async (tx) => {
      const timestamp = clock.timestamp();
      if (await markMailSent(tx, mail.id, timestamp)) await hooks[mail.kind]?.(tx, mail, timestamp);
    });
  }

  /** To the SMTP server. */
  async #hand(mail: MailRow): Promise<void> {
    const { cipher, from } = this.#options;
    const transport = await this.#connection();
    await transport.sendMail({
      from,
      to: mail.recipient,
      subject: mail.subject,
      text: wholeBody(cipher, mail),
      messageId: mail.message_id,
    });
  }

  /** The library is loaded with the first mail: many servers never send one. */
  async #connection(): Promise<Transporter> {
    const { default: nodemailer } = await import('nodemailer');
    this.#transport ??= nodemailer.createTransport({
      url: this.#options.smtpUrl ?? '',
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
    });
    return this.#transport;
  }
}

/** SMTP's 5xx: the same mail will be refused again. */
function isPermanent(error: unknown): boolean {
  const code = error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : 0;
  return code >= 500 && code < 600;
}
