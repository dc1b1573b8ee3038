import type { Tx } from '../../platform/database/db.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { queueMail } from '../../platform/mail/outbox.ts';
import { readEmail } from './user-store.ts';

/** Tells a person by mail that what they sign in with has changed, so that they learn of what somebody else did.
 *  @param what one sentence */
export async function noteOfChange(
  tx: Tx,
  ctx: Pick<RequestContext, 'clock' | 'ids' | 'remoteAddress' | 'publicUrl'>,
  userId: number,
  what: string,
): Promise<void> {
  const recipient = await readEmail(tx, userId);
  if (recipient === undefined) return;
  const portal = ctx.publicUrl ?? 'the portal';
  await queueMail(tx, {
    clientId: null,
    kind: 'sign_in_changed',
    recipient,
    subject: 'What you sign in with has changed',
    body: [
      what,
      '',
      `When: ${ctx.clock.timestamp()}`,
      `From: ${ctx.remoteAddress}`,
      '',
      `If that was not you, set a new password in ${portal} (Forgotten your password), end all sessions and API tokens,`,
      'and tell whoever runs this cloud.',
      '',
    ].join('\n'),
    shownTo: { userId },
    messageId: `<sign-in-changed-${ctx.ids.uuid()}@virga.internal>`,
    timestamp: ctx.clock.timestamp(),
  });
}
