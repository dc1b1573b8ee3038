import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { listOf } from '../../platform/database/rows.ts';
import { EVENT_COLUMNS, type EventName, type StoredEvent } from './model.ts';

const COLUMNS = listOf(EVENT_COLUMNS);
const LOCK = 72_131;

/** Changes of a client's events and usage take turns until the transaction ends: an event is judged by every
 *  report that counts, and by each once. */
export async function lockClient(tx: Tx, clientId: number): Promise<void> {
  await tx.named('storage_client_lock', `select pg_advisory_xact_lock(${LOCK}, $1)`, [clientId]);
}

export async function countEvents(tx: Tx, clientId: number): Promise<number> {
  return tx.namedNumber(
    'storage_event_count',
    'select count(*)::int as count from storage_events where client_id = $1',
    [clientId],
  );
}

export async function listEvents(db: Db, clientId: number): Promise<StoredEvent[]> {
  return db.named(
    'storage_event_list',
    `select ${COLUMNS} from storage_events where client_id = $1 order by storage_name, bucket_name, name`,
    [clientId],
  );
}

export async function findByUuid(tx: Tx, clientId: number, uuid: string): Promise<StoredEvent | undefined> {
  return tx.namedRow<StoredEvent>(
    'storage_event_by_uuid',
    `select ${COLUMNS} from storage_events where client_id = $1 and uuid = $2`,
    [clientId, uuid],
  );
}

export async function findByPlace(
  tx: Tx,
  clientId: number,
  name: EventName,
  { storage_name, bucket_name }: Pick<StoredEvent, 'storage_name' | 'bucket_name'>,
): Promise<StoredEvent | undefined> {
  return tx.namedRow<StoredEvent>(
    'storage_event_by_place',
    `select ${COLUMNS} from storage_events
      where client_id = $1 and name = $2 and storage_name = $3 and bucket_name = $4`,
    [clientId, name, storage_name, bucket_name],
  );
}

export async function insertEvent(
  tx: Tx,
  clientId: number,
  event: StoredEvent,
  timestamp: string,
): Promise<void> {
  await tx.named(
    'storage_event_insert',
    `insert into storage_events (client_id, ${COLUMNS}, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      clientId,
      event.uuid,
      event.name,
      event.storage_name,
      event.bucket_name,
      event.threshold,
      event.reached_in,
      timestamp,
    ],
  );
}

export async function updateEvent(tx: Tx, event: StoredEvent): Promise<void> {
  await tx.named(
    'storage_event_update',
    `update storage_events set storage_name = $2, bucket_name = $3, threshold = $4, reached_in = $5
      where uuid = $1`,
    [event.uuid, event.storage_name, event.bucket_name, event.threshold, event.reached_in],
  );
}

export async function deleteEvent(tx: Tx, uuid: string): Promise<void> {
  await tx.named('storage_event_delete', 'delete from storage_events where uuid = $1', [uuid]);
}

export interface EventWithUsage extends StoredEvent {
  readonly usage: number;
}

/** The events on a storage and its buckets, each with the usage that it is about. */
export async function eventsWithUsage(
  db: Queryable,
  clientId: number,
  storageName: string,
  month: string,
): Promise<EventWithUsage[]> {
  return db.named(
    'storage_event_usage',
    `select ${COLUMNS},
        case when name in ('reaching_used_space', 'reaching_files_quantity')
          then (select coalesce(sum(case when e.name = 'reaching_used_space' then u.used_space
                                         else u.files_quantity end), 0)
                  from storage_usage u where u.client_id = e.client_id and u.storage_name = e.storage_name
                   and (e.bucket_name = '' or u.bucket_name = e.bucket_name))
          else (select coalesce(sum(case when e.name = 'reaching_used_traffic' then m.used_traffic
                                         else m.used_requests end), 0)
                  from storage_usage_months m where m.client_id = e.client_id
                   and m.storage_name = e.storage_name and m.month = $3
                   and (e.bucket_name = '' or m.bucket_name = e.bucket_name))
        end as usage
       from storage_events e where client_id = $1 and storage_name = $2 order by uuid`,
    [clientId, storageName, month],
  );
}

export async function markReached(tx: Tx, uuid: string, reachedIn: string | null): Promise<void> {
  await tx.named('storage_event_reached', 'update storage_events set reached_in = $2 where uuid = $1', [
    uuid,
    reachedIn,
  ]);
}
