import { BadRequest, Conflict, NotFound } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import { constraintOf, type Tx } from '../../platform/database/db.ts';
import { refuseMore } from '../../platform/database/refuse-more.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { type RequestedEvent, readEvent, readEvents, readTarget } from './event-rules.ts';
import { monthOf, type StoredEvent } from './model.ts';
import { notifyReached } from './notify.ts';
import type { EventInput, EventsInput } from './schema.ts';
import * as store from './store.ts';
import { viewEvent, viewEvents } from './views.ts';

/** Of one client. */
export const MAX_EVENTS = 1000;

/** The client that a call is about: the caller's own. @throws NotFound when the query names another */
function clientOf(ctx: RequestContext, named?: number): number {
  if (named !== undefined && named !== ctx.caller.clientId)
    throw new NotFound(`Client ${named} was not found`);
  return ctx.caller.clientId;
}

/** Creates an event, or changes the one with this uuid, or the one of this name on this storage or bucket.
 *  @throws Invalid naming every faulty field, Forbidden for one too many, Conflict when there is another such event where it is moved to */
export async function setEvent(ctx: RequestContext, input: EventInput, named?: number) {
  const clientId = clientOf(ctx, named);
  const faults = new Faults();
  const requested = readEvent(input.name, input, '', faults);
  faults.refuse();
  const [event] = await setAll(ctx, clientId, [requested]);
  if (!event) throw new Error('the event was not stored');
  return viewEvent(event);
}

/** Sets the given events, all or none, and answers the whole configuration. @throws as `setEvent` */
export async function setEvents(ctx: RequestContext, input: EventsInput, named?: number) {
  const clientId = clientOf(ctx, named);
  const faults = new Faults();
  const requested = readEvents(input, faults);
  faults.refuse();
  await setAll(ctx, clientId, requested);
  return getEvents(ctx, named);
}

/** Every event of a client. @throws NotFound when the query names another client */
export async function getEvents(ctx: RequestContext, named?: number) {
  return viewEvents(await store.listEvents(ctx.db, clientOf(ctx, named)));
}

/** @throws BadRequest when there is no such event */
export async function deleteEvent(ctx: RequestContext, input: EventInput, named?: number): Promise<void> {
  const clientId = clientOf(ctx, named);
  const faults = new Faults();
  const { uuid, scope } = readTarget(input, '', faults);
  faults.refuse();
  await ctx.db.transaction(async (tx) => {
    await store.lockClient(tx, clientId);
    const event = uuid
      ? await store.findByUuid(tx, clientId, uuid)
      : scope && (await store.findByScope(tx, clientId, input.name, scope));
    if (!event || event.name !== input.name) throw new BadRequest(`There is no such ${input.name} event`);
    await store.deleteEvent(tx, event.uuid);
    await recordAudit(tx, ctx, { action: 'delete_storage_event', subject: event.uuid });
  });
}

async function setAll(
  ctx: RequestContext,
  clientId: number,
  requested: readonly RequestedEvent[],
): Promise<StoredEvent[]> {
  try {
    return await ctx.db.transaction(async (tx) => {
      await store.lockClient(tx, clientId);
      const faults = new Faults();
      const events: StoredEvent[] = [];
      for (const each of requested) {
        const event = await setOne(tx, ctx, clientId, each, faults);
        if (event) events.push(event);
      }
      faults.refuse();
      const month = monthOf(ctx.clock.now());
      for (const storage of new Set(events.map((event) => event.storage_name))) {
        await notifyReached(tx, ctx, clientId, storage, month);
      }
      return events;
    });
  } catch (error) {
    if (constraintOf(error) === 'storage_events_target') {
      throw new Conflict('Another event of this name is set for that storage or bucket already');
    }
    throw error;
  }
}

/** Undefined when something is wrong with it, which is then among the faults. */
async function setOne(
  tx: Tx,
  ctx: RequestContext,
  clientId: number,
  { name, uuid, scope, threshold, path }: RequestedEvent,
  faults: Faults,
): Promise<StoredEvent | undefined> {
  const known = uuid
    ? await store.findByUuid(tx, clientId, uuid)
    : scope && (await store.findByScope(tx, clientId, name, scope));
  if (uuid && !known) faults.add(`${path}uuid`, 'is not the id of an event; leave it out to create one');
  else if (known && known.name !== name) faults.add(`${path}uuid`, `is the id of a ${known.name} event`);
  else if (known) return changeEvent(tx, ctx, known, { ...known, ...scope, threshold });
  else if (scope) {
    await refuseMore(tx, {
      what: 'storage events',
      owner: `account ${clientId}`,
      limit: MAX_EVENTS,
      count: () => store.countEvents(tx, clientId),
    });
    const event = { uuid: ctx.ids.uuid(), name, ...scope, threshold, reached_in: null };
    await store.insertEvent(tx, clientId, event, ctx.clock.timestamp());
    await recordAudit(tx, ctx, { action: 'create_storage_event', subject: event.uuid });
    return event;
  }
  return undefined;
}

/** An event that is the same as before keeps its mark of being sent; any change is judged anew. */
async function changeEvent(
  tx: Tx,
  ctx: RequestContext,
  before: StoredEvent,
  after: StoredEvent,
): Promise<StoredEvent> {
  const same =
    before.threshold === after.threshold &&
    before.storage_name === after.storage_name &&
    before.bucket_name === after.bucket_name;
  if (same) return before;
  const changed = { ...after, reached_in: null };
  await store.updateEvent(tx, changed);
  await recordAudit(tx, ctx, { action: 'update_storage_event', subject: before.uuid });
  return changed;
}
