import { nullable, offsetTime } from '../../kernel/codecs.ts';
import { Conflict, Invalid, NotFound } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import { checkCredentials } from '../../kernel/rules.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import { constraintOf, type Tx } from '../../platform/database/db.ts';
import { viewPage } from '../../platform/database/list-page.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { secretText } from './call.ts';
import type { CreateWebhookTarget, DeliveryListQuery, TargetListQuery } from './schema.ts';
import * as store from './store.ts';

const SECRET_BYTES = 32;

function viewTarget({ id, client_id, url, created_at }: store.TargetRow) {
  return { id, client_id, url, created_at: offsetTime(created_at) };
}

/** @throws Invalid for an unknown client or an address with a user name in it */
export async function createTarget(ctx: RequestContext, cipher: Cipher, input: CreateWebhookTarget) {
  const faults = new Faults();
  checkCredentials(input, faults);
  faults.refuse();
  const secret = secretText(Buffer.from(ctx.ids.secret(SECRET_BYTES), 'base64url'));
  try {
    return await ctx.db.transaction(async (tx) => {
      const id = await store.nextTargetId(tx);
      const { keyId, box } = cipher.seal(secret, store.secretContext(id));
      const row = { id, client_id: input.client_id, url: input.url, created_at: ctx.clock.now() };
      await store.insertTarget(tx, { ...row, key_id: keyId, sealed: box });
      await recordAudit(tx, ctx, { action: 'create_webhook_target', subject: id, clientId: input.client_id });
      return { ...viewTarget(row), secret };
    });
  } catch (error) {
    if (constraintOf(error) === 'webhook_targets_client_id_fkey') {
      throw new Invalid({ client_id: ['is not the id of a client'] });
    }
    throw error;
  }
}

export async function listTargets(ctx: RequestContext, query: TargetListQuery) {
  return viewPage(await store.listTargets(ctx.db, query), viewTarget);
}

/** @throws NotFound */
export async function deleteTarget(ctx: RequestContext, id: number): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const found = await store.deleteTarget(tx, id, ctx.clock.now());
    if (!found) throw new NotFound(`Webhook target ${id} was not found`);
    await recordAudit(tx, ctx, { action: 'delete_webhook_target', subject: id });
  });
}

export async function listDeliveries(ctx: RequestContext, query: DeliveryListQuery) {
  return viewPage(await store.listDeliveries(ctx.db, query), viewDelivery);
}

/** Posts an ended delivery again, to the target that it was for.
 *  @throws Conflict when it is still to be made, or its target is gone; NotFound */
export async function replayDelivery(ctx: RequestContext, id: string) {
  return ctx.db.transaction(async (tx) => {
    const known = await store.readDelivery(tx, id);
    if (!known) throw new NotFound(`Webhook delivery ${id} was not found`);
    const row = await store.replay(tx, id, ctx.clock.now());
    if (!row) {
      throw new Conflict(
        known.state === 'WAITING'
          ? 'The delivery is still to be made'
          : 'The target of the delivery was deleted',
      );
    }
    await recordAudit(tx, ctx, { action: 'replay_webhook_delivery', subject: id });
    return viewDelivery(row);
  });
}

function viewDelivery(row: store.DeliveryRow) {
  return {
    id: row.id,
    event_id: row.event_id,
    client_id: row.client_id,
    target_id: row.target_id,
    url: row.url,
    type: row.type,
    data: row.data,
    state: row.state,
    attempts: row.attempts,
    next_attempt_at: row.state === 'WAITING' ? offsetTime(row.next_attempt_at) : null,
    last_error: row.last_error,
    created_at: offsetTime(row.created_at),
    ended_at: nullable(offsetTime)(row.ended_at),
  };
}

/** Encrypts every signing secret under the cipher's current key. @returns how many there were to do */
export async function resealTargets(tx: Tx, cipher: Cipher): Promise<number> {
  const rows = await store.lockTargetsNotUnder(tx, cipher.currentKeyId);
  for (const row of rows) {
    const context = store.secretContext(row.id);
    const { keyId, box } = cipher.seal(cipher.open({ keyId: row.key_id, box: row.sealed }, context), context);
    await store.resealTarget(tx, { id: row.id, key_id: keyId, sealed: box });
  }
  return rows.length;
}
