import { offsetTime } from '../../kernel/codecs.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import { hashToken } from '../../platform/auth/caller.ts';
import type { ClientContext } from '../../platform/http/context.ts';
import { insertToken, newTokenValue } from '../iam/index.ts';
import { lockClient } from './store.ts';

const HOUR_MS = 3_600_000;

/** Makes a token by which an operator acts for a client, for an hour. It says so: in the client's list of tokens, and
 *  what it does and reads stands in the client's log as an operator's. The client may delete it.
 *  @throws NotFound */
export async function actForClient(ctx: ClientContext, reason: string) {
  const value = newTokenValue(ctx.ids);
  const expiresAt = new Date(ctx.clock.now().getTime() + HOUR_MS);
  const id = await ctx.db.transaction(async (tx) => {
    await lockClient(tx, ctx.clientId);
    const made = await insertToken(tx, {
      clientId: ctx.clientId,
      userId: ctx.caller.userId,
      role: 'Administrators',
      name: 'Operator',
      description: reason,
      hash: hashToken(value),
      expiresAt: expiresAt.toISOString(),
      timestamp: ctx.clock.timestamp(),
      actsFor: true,
    });
    await recordAudit(tx, ctx, { action: 'act_for_client', subject: made, name: reason });
    return made;
  });
  return { id, client_id: ctx.clientId, token: value, expires_at: offsetTime(expiresAt) };
}
