import { hashToken } from '../../platform/auth/caller.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { queueMail, SECRET } from '../../platform/mail/outbox.ts';
import type { Audience } from '../../platform/notifications/notifications.ts';
import { insertLink, type NewLink } from './link-store.ts';

type Context = Pick<RequestContext, 'clock' | 'ids' | 'cipher' | 'publicUrl'>;

export interface TokenMail {
  /** What the mail is about, for operators who read the outbox. */
  readonly mail: 'password_reset' | 'confirm_email' | 'invitation';
  readonly recipient: string;
  /** Who reads its subject in the portal, too. */
  readonly shownTo?: Audience;
  /** The client that it is about; absent: none. */
  readonly clientId?: number;
  readonly subject: string;
  readonly text: string;
  /** The page of the portal that uses the token. */
  readonly page: `/${string}`;
  /** How a program uses the token: what to send where. */
  readonly use: string;
}

/** Queues a mail with a token that works once. */
export async function mailToken(tx: Tx, ctx: Context, token: string, mail: TokenMail): Promise<void> {
  await queueMail(tx, {
    clientId: mail.clientId ?? null,
    kind: mail.mail,
    recipient: mail.recipient,
    subject: mail.subject,
    body: bodyOf(mail, ctx.publicUrl),
    secret: { text: token, cipher: ctx.cipher },
    ...(mail.shownTo ? { shownTo: mail.shownTo } : {}),
    messageId: `<${mail.mail}-${ctx.ids.uuid()}@virga.internal>`,
    timestamp: ctx.clock.timestamp(),
  });
}

/** With a link to the portal where its address is known. The token is behind #, which browsers keep to themselves. */
function bodyOf({ text, page, use }: TokenMail, publicUrl: string | undefined): string {
  const lines = publicUrl
    ? [text, '', `  ${publicUrl}${page}#${SECRET}`, '', `What is behind # is a token. Programs ${use}.`]
    : [text, '', `  ${SECRET}`, '', `Enter it in the portal at ${page}, or ${use}.`];
  return [...lines, ''].join('\n');
}

export interface LinkMail extends TokenMail {
  readonly link: Pick<NewLink, 'kind' | 'userId' | 'email'>;
  /** How long the token works. */
  readonly hours: number;
}

/** Queues a mail with a token that does one thing for a user, once. */
export async function mailLink(tx: Tx, ctx: Context, mail: LinkMail): Promise<void> {
  const token = ctx.ids.secret();
  const expiresAt = hoursFromNow(ctx, mail.hours);
  await insertLink(tx, { ...mail.link, hash: hashToken(token), expiresAt });
  await mailToken(tx, ctx, token, { ...mail, shownTo: { userId: mail.link.userId } });
}

export function hoursFromNow({ clock }: Pick<RequestContext, 'clock'>, hours: number): string {
  return new Date(clock.now().getTime() + hours * 3_600_000).toISOString();
}
