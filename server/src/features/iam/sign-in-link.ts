import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/ids.ts';
import { hashToken } from '../../platform/auth/caller.ts';
import type { Tx } from '../../platform/database/db.ts';
import { hoursFromNow } from './link-mail.ts';
import { insertLink } from './link-store.ts';

const HOURS = 24;

/** Makes a token that signs a user in to the portal once, within a day.
 *  @returns the token, which only its hash is kept of */
export async function newSignInToken(
  tx: Tx,
  ctx: { readonly clock: Clock; readonly ids: Ids },
  userId: number,
): Promise<string> {
  const token = ctx.ids.secret();
  const expiresAt = hoursFromNow(ctx, HOURS);
  await insertLink(tx, { kind: 'sign_in', userId, hash: hashToken(token), expiresAt });
  return token;
}
