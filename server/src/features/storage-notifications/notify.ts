import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/ids.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { queueMail } from '../../platform/mail/outbox.ts';
import { readClient } from '../iam/index.ts';
import { postEvent } from '../webhooks/index.ts';
import { judge, KINDS } from './model.ts';
import * as store from './store.ts';
import { viewEvent } from './views.ts';

export const STORAGE_MAIL = 'storage_threshold';

export interface Means {
  readonly db: Pick<Db, 'notify'>;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * Judges the events on a storage by its usage now, and notifies the client of what has been reached: by mail and
 * webhook, both written in this transaction together with the mark that it is sent, hence once.
 * The caller holds the client's lock.
 */
export async function notifyReached(
  tx: Tx,
  means: Means,
  clientId: number,
  storageName: string,
  month: string,
): Promise<void> {
  for (const event of await store.eventsWithUsage(tx, clientId, storageName, month)) {
    const { reachedIn, isNews } = judge(event, event.usage, month);
    if (reachedIn !== event.reached_in) await store.markReached(tx, event.uuid, reachedIn);
    if (isNews) await notifyOne(tx, means, clientId, event, month);
  }
}

async function notifyOne(
  tx: Tx,
  { db, clock, ids }: Means,
  clientId: number,
  event: store.EventWithUsage,
  month: string,
): Promise<void> {
  const monthly = KINDS[event.name].monthly;
  const data = {
    client_id: clientId,
    event: viewEvent(event),
    usage: event.usage,
    ...(monthly ? { month } : {}),
  };
  const eventId = await postEvent(tx, { clock, ids }, { clientId, type: 'storage.threshold_reached', data });
  const client = await readClient(tx, clientId);
  if (!client) throw new Error(`client ${clientId} is missing`);
  await queueMail(tx, {
    clientId,
    kind: STORAGE_MAIL,
    recipient: client.email,
    ...mailOf(event, monthly ? month : undefined),
    details: data,
    shownTo: { db, clientId },
    messageId: `<storage-${eventId}@virga.internal>`,
    timestamp: clock.timestamp(),
  });
}

function mailOf(event: store.EventWithUsage, month: string | undefined): { subject: string; body: string } {
  const { label, field } = KINDS[event.name];
  const scope = event.bucket_name
    ? `bucket ${event.bucket_name} in storage ${event.storage_name}`
    : `storage ${event.storage_name}`;
  const unit = field === 'bytes' ? ' bytes' : '';
  const amount = (value: number) => `${value.toLocaleString('en-US')}${unit}`;
  const body = [
    `The ${label} of ${scope} has reached the threshold that was set for it.`,
    '',
    `  threshold  ${amount(event.threshold)}`,
    `  usage      ${amount(event.usage)}${month ? ` in ${month}` : ''}`,
    '',
    `The notification is ${event.name} with the id ${event.uuid}.`,
    '',
  ].join('\n');
  return { subject: `The ${label} of ${scope} has reached ${amount(event.threshold)}`, body };
}
