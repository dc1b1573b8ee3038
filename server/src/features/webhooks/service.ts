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
import { BOTH_SECRETS_HOURS } from './model.ts';
import type {
  CreateWebhookTarget,
  DeliveryListQuery,
  OwnDeliveryListQuery,
  TargetListQuery,
  UpdateWebhookTarget,
} from './schema.ts';
import * as store from './store.ts';

const SECRET_BYTES = 32;

function viewTarget(row: store.TargetRow) {
  const { id, client_id, url, created_at, ended_at, end_reason, previous_until } = row;
  return {
    id,
    client_id,
    url,
    created_at: offsetTime(created_at),
    ended_at: nullable(offsetTime)(ended_at),
    end_reason,
    rotation_ends_at: nullable(offsetTime)(previous_until),
  };
}

const NEW_TARGET = { ended_at: null, end_reason: null, previous_until: null };
const newSecret = (ctx: RequestContext): string =>
  secretText(Buffer.from(ctx.ids.secret(SECRET_BYTES), 'base64url'));

/** @throws Invalid for an unknown client or an address with a user name in it */
export async function createTarget(ctx: RequestContext, cipher: Cipher, input: CreateWebhookTarget) {
  const faults = new Faults();
  checkCredentials(input, faults);
  faults.refuse();
  const secret = newSecret(ctx);
  try {
    return await ctx.db.transaction(async (tx) => {
      const id = await store.nextTargetId(tx);
      const { keyId, box } = cipher.seal(secret, store.secretContext(id));
      const row = { id, client_id: input.client_id, url: input.url, created_at: ctx.clock.now() };
      await store.insertTarget(tx, { ...row, key_id: keyId, sealed: box });
      await recordAudit(tx, ctx, { action: 'create_webhook_target', subject: id, clientId: input.client_id });
      return { ...viewTarget({ ...row, ...NEW_TARGET }), secret };
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

/** Gives a target another address, also for what still waits. One that has ended begins again.
 *  @throws Invalid for an address with a user name in it, NotFound */
export async function updateTarget(ctx: RequestContext, id: number, input: UpdateWebhookTarget) {
  const faults = new Faults();
  checkCredentials(input, faults);
  faults.refuse();
  return ctx.db.transaction(async (tx) => {
    const row = await targetOf(tx, id);
    await store.moveTarget(tx, id, input.url);
    await recordAudit(tx, ctx, { action: 'update_webhook_target', subject: id, clientId: row.client_id });
    return viewTarget({ ...row, url: input.url, ended_at: null, end_reason: null });
  });
}

/** Makes a new signing secret. For a day calls are signed with the one before, too.
 *  @throws NotFound */
export async function rotateSecret(ctx: RequestContext, cipher: Cipher, id: number) {
  const secret = newSecret(ctx);
  return ctx.db.transaction(async (tx) => {
    const row = await targetOf(tx, id);
    const { keyId, box } = cipher.seal(secret, store.secretContext(id));
    const previous_until = new Date(ctx.clock.now().getTime() + BOTH_SECRETS_HOURS * 3_600_000);
    await store.rotateSecret(tx, { id, key_id: keyId, sealed: box }, previous_until);
    const { client_id: clientId } = row;
    await recordAudit(tx, ctx, { action: 'rotate_webhook_secret', subject: id, clientId });
    return { ...viewTarget({ ...row, previous_until }), secret };
  });
}

async function targetOf(tx: Tx, id: number): Promise<store.TargetRow> {
  const row = await store.readTarget(tx, id);
  if (!row) throw new NotFound(`Webhook target ${id} was not found`);
  return row;
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
  return replay(ctx, id, (tx) => store.readDelivery(tx, id));
}

/** As `replayDelivery`, for a delivery to a subscription of the caller's account. */
export async function replayOwnDelivery(ctx: RequestContext, id: string) {
  return replay(ctx, id, (tx) => store.readOwnDelivery(tx, id, ctx.caller.clientId));
}

/** What was posted to the subscriptions of the caller's account, and what waits. */
export async function listOwnDeliveries(ctx: RequestContext, query: OwnDeliveryListQuery) {
  return viewPage(await store.listOwnDeliveries(ctx.db, ctx.caller.clientId, query), viewDelivery);
}

async function replay(
  ctx: RequestContext,
  id: string,
  read: (tx: Tx) => Promise<store.DeliveryRow | undefined>,
) {
  return ctx.db.transaction(async (tx) => {
    const known = await read(tx);
    if (!known) throw new NotFound(`Webhook delivery ${id} was not found`);
    const row = await store.replay(tx, id, ctx.clock.now());
    if (!row) {
      throw new Conflict(
        known.state === 'WAITING'
          ? 'The delivery is still to be made'
          : known.target_id === null
            ? 'The target of the delivery was deleted'
            : 'The target of the delivery has ended: change its address first',
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
    const reseal = (keyId: string, box: Buffer) => cipher.seal(cipher.open({ keyId, box }, context), context);
    const { id, previous_key_id: beforeId, previous_sealed: before } = row;
    const { keyId, box } = reseal(row.key_id, row.sealed);
    const previous = beforeId && before ? reseal(beforeId, before) : undefined;
    await store.resealTarget(tx, {
      id,
      key_id: keyId,
      sealed: box,
      previous_key_id: previous?.keyId ?? null,
      previous_sealed: previous?.box ?? null,
    });
  }
  return rows.length;
}
