import { Conflict, messageOf, NotFound } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import { checkCredentials } from '../../kernel/rules.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import { type Paging, pageOf } from '../../platform/database/list-page.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { callWebhook } from './call.ts';
import { type AllowedNetworks, neverReached } from './reach.ts';
import * as store from './store.ts';

/** Addresses that clients have their user actions posted to: webhook targets of a kind of their own. */

export interface NewSubscription {
  readonly url: string;
  readonly auth_header_name: string;
  readonly auth_header_value: string;
}

/** Of one client. */
export const MOST_SUBSCRIPTIONS = 10;
/** What a call has by itself. */
const OWN_HEADERS: readonly string[] = [
  'connection',
  'content-length',
  'content-type',
  'host',
  'transfer-encoding',
  'webhook-id',
  'webhook-timestamp',
];

export interface SubscriptionOptions {
  readonly cipher: Cipher;
  /** Beside the internet. */
  readonly allowedNetworks: AllowedNetworks;
}

/** Adds what schemas cannot say of a subscription.
 *  @param allowed networks beside the internet */
export function checkSubscription(
  input: Partial<NewSubscription>,
  allowed: AllowedNetworks,
  faults: Faults,
): void {
  checkCredentials(input, faults);
  const unreached = input.url === undefined ? undefined : neverReached(input.url, allowed);
  if (unreached !== undefined) faults.add('url', unreached);
  if (OWN_HEADERS.includes(input.auth_header_name?.toLowerCase() ?? '')) {
    faults.add('auth_header_name', 'is a header that every call has already; choose another one');
  }
}

/** Subscribing an address again gives it the new header.
 *  @throws Invalid for an address that nothing is sent to or that has a user name in it, and for a header that every
 *  call has; Conflict when the client has as many as it may have */
export async function subscribe(
  ctx: RequestContext,
  { cipher, allowedNetworks }: SubscriptionOptions,
  input: NewSubscription,
): Promise<void> {
  const faults = new Faults();
  checkSubscription(input, allowedNetworks, faults);
  faults.refuse();
  const { clientId } = ctx.caller;
  await ctx.db.transaction(async (tx) => {
    const had = await store.lockSubscriptions(tx, clientId);
    const same = had.find((each) => each.url === input.url);
    if (same) await store.deleteTarget(tx, same.id, ctx.clock.now());
    if (!same && had.length >= MOST_SUBSCRIPTIONS) {
      throw new Conflict(`There are ${MOST_SUBSCRIPTIONS} subscriptions already; unsubscribe first`);
    }
    const id = await store.nextTargetId(tx);
    const { keyId, box } = cipher.seal(input.auth_header_value, store.secretContext(id));
    const row = { id, client_id: clientId, url: input.url, created_at: ctx.clock.now() };
    const { auth_header_name } = input;
    await store.insertTarget(tx, { ...row, auth_header_name, key_id: keyId, sealed: box });
    await recordAudit(tx, ctx, { action: 'subscribe_user_actions', subject: id });
  });
}

/** The client's subscriptions, with the headers that they were given. */
export async function listSubscriptions(ctx: RequestContext, cipher: Cipher, query: Paging) {
  const all = await store.readSubscriptions(ctx.db, ctx.caller.clientId);
  return pageOf(all, query, ({ id, url, auth_header_name, key_id, sealed }) => ({
    id,
    url,
    auth_header_name,
    auth_header_value: cipher.open({ keyId: key_id, box: sealed }, store.secretContext(id)),
  }));
}

/** Posts an event that means nothing to a subscription, and says at once what came of it.
 *  @throws NotFound for one that the account does not have */
export async function testSubscription(
  ctx: RequestContext,
  { cipher, allowedNetworks }: SubscriptionOptions,
  id: number,
): Promise<{ readonly delivered: boolean; readonly error: string | null }> {
  const all = await store.readSubscriptions(ctx.db, ctx.caller.clientId);
  const one = all.find((each) => each.id === id);
  if (!one) throw new NotFound(`Subscription ${id} was not found`);
  const value = cipher.open({ keyId: one.key_id, box: one.sealed }, store.secretContext(id));
  const now = ctx.clock.now();
  const body = JSON.stringify({ type: 'test', timestamp: now.toISOString(), data: {} });
  try {
    await callWebhook({
      url: one.url,
      id: ctx.ids.uuid(),
      now,
      body,
      allowed: allowedNetworks,
      by: { header: one.auth_header_name, value },
    });
    return { delivered: true, error: null };
  } catch (error) {
    return { delivered: false, error: messageOf(error) };
  }
}

/** Ends all subscriptions of the client; what was still to be sent to them is given up. */
export async function unsubscribe(ctx: RequestContext): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    for (const { id } of await store.lockSubscriptions(tx, ctx.caller.clientId)) {
      await store.deleteTarget(tx, id, ctx.clock.now());
    }
    await recordAudit(tx, ctx, { action: 'unsubscribe_user_actions', subject: null });
  });
}
