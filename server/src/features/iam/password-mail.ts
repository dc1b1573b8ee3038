import { hashToken } from '../../platform/auth/caller.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { queueMail } from '../../platform/mail/outbox.ts';
import * as store from './user-store.ts';

export interface PasswordMail {
  readonly kind: 'password_reset' | 'invitation';
  readonly subject: string;
  readonly text: string;
  /** How long the token in the mail works. */
  readonly hours: number;
}

/** Queues a mail with a token that sets the user's password once. */
export async function mailPasswordLink(
  tx: Tx,
  ctx: RequestContext,
  user: { id: number; email: string },
  mail: PasswordMail,
): Promise<void> {
  const token = ctx.ids.secret();
  const expiresAt = new Date(ctx.clock.now().getTime() + mail.hours * 3_600_000).toISOString();
  await store.insertPasswordLink(tx, { hash: hashToken(token), userId: user.id, expiresAt });
  await queueMail(tx, {
    clientId: null,
    kind: mail.kind,
    recipient: user.email,
    subject: mail.subject,
    body: [
      mail.text,
      '',
      `  ${token}`,
      '',
      'Use it on the sign-in page, or send it as {"token": "...", "password": "..."} to POST /virga/v1/password.',
      '',
    ].join('\n'),
    messageId: `<${mail.kind}-${ctx.ids.uuid()}@virga.internal>`,
    timestamp: ctx.clock.timestamp(),
  });
}
