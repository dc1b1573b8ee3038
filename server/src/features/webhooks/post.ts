import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/ids.ts';
import type { Tx } from '../../platform/database/db.ts';
import { insertDeliveries } from './store.ts';

export interface WebhookEvent {
  readonly clientId: number;
  /** In the form `storage.threshold_reached`. */
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Posts an event to every webhook target that the client has now. Part of the transaction that causes the
 * event: it goes out exactly when that is kept, and the worker delivers it afterwards.
 * @returns the event's id, by which receivers recognise a repetition
 */
export async function postEvent(
  tx: Tx,
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
  event: WebhookEvent,
): Promise<string> {
  const eventId = ids.uuid();
  await insertDeliveries(tx, { ...event, eventId, now: clock.now() });
  return eventId;
}
