import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/ids.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import { hashToken } from '../../platform/auth/caller.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { hoursFromNow } from './link-mail.ts';
import { insertLink } from './link-store.ts';

const HOURS = 24;
const MINUTES_ON_DEMAND = 5;

/** Makes a token that signs a user in to the portal once, within a day unless `hours` says otherwise.
 *  @returns the token, which only its hash is kept of */
export async function newSignInToken(
  tx: Tx,
  ctx: { readonly clock: Clock; readonly ids: Ids },
  userId: number,
  hours = HOURS,
): Promise<string> {
  const token = ctx.ids.secret();
  const expiresAt = hoursFromNow(ctx, hours);
  await insertLink(tx, { kind: 'sign_in', userId, hash: hashToken(token), expiresAt });
  return token;
}

/** Makes a token that signs the caller in to the portal once, within five minutes, and names it in their log. */
export function newOwnSignInToken(ctx: RequestContext): Promise<{ token: string }> {
  return ctx.db.transaction(async (tx) => {
    const token = await newSignInToken(tx, ctx, ctx.caller.userId, MINUTES_ON_DEMAND / 60);
    await recordAudit(tx, ctx, { action: 'create_session_link', subject: ctx.caller.userId });
    return { token };
  });
}
