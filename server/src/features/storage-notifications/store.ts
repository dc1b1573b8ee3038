import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { listOf } from '../../platform/database/rows.ts';
import { raw, sql } from '../../platform/database/sql.ts';
import { EVENT_COLUMNS, type EventName, type StoredEvent } from './model.ts';

const COLUMNS = listOf(EVENT_COLUMNS);
const LOCK = 72_131;

/** Changes of a client's events and usage take turns until the transaction ends: an event is judged by every
 *  report that counts, and by each once. */
export async function lockClient(tx: Tx, clientId: number): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(${raw(LOCK)}, ${clientId})`);
}

export async function countEvents(tx: Tx, clientId: number): Promise<number> {
  return tx.number(sql`select count(*)::int as count from storage_events where client_id = ${clientId}`);
}

export async function listEvents(db: Db, clientId: number): Promise<StoredEvent[]> {
  return db.rows(
    sql`select ${COLUMNS} from storage_events where client_id = ${clientId} order by storage_name, bucket_name, name`,
  );
}

export async function findByUuid(tx: Tx, clientId: number, uuid: string): Promise<StoredEvent | undefined> {
  return tx.row<StoredEvent>(
    sql`select ${COLUMNS} from storage_events where client_id = ${clientId} and uuid = ${uuid}`,
  );
}

export async function findByScope(
  tx: Tx,
  clientId: number,
  name: EventName,
  { storage_name, bucket_name }: Pick<StoredEvent, 'storage_name' | 'bucket_name'>,
): Promise<StoredEvent | undefined> {
  return tx.row<StoredEvent>(sql`select ${COLUMNS} from storage_events
      where client_id = ${clientId} and name = ${name} and storage_name = ${storage_name} and bucket_name = ${bucket_name}`);
}

export async function insertEvent(
  tx: Tx,
  clientId: number,
  event: StoredEvent,
  timestamp: string,
): Promise<void> {
  await tx.run(
    sql`insert into storage_events (client_id, ${COLUMNS}, created_at) values (${clientId}, ${event.uuid}, ${event.name}, ${event.storage_name}, ${event.bucket_name}, ${event.threshold}, ${event.reached_in}, ${timestamp})`,
  );
}

export async function updateEvent(tx: Tx, event: StoredEvent): Promise<void> {
  await tx.run(sql`update storage_events set storage_name = ${event.storage_name}, bucket_name = ${event.bucket_name}, threshold = ${event.threshold}, reached_in = ${event.reached_in}
      where uuid = ${event.uuid}`);
}

export async function deleteEvent(tx: Tx, uuid: string): Promise<void> {
  await tx.run(sql`delete from storage_events where uuid = ${uuid}`);
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
  return db.rows(sql`select ${COLUMNS},
        case when name in ('reaching_used_space', 'reaching_files_quantity')
          then (select coalesce(sum(case when e.name = 'reaching_used_space' then u.used_space
                                         else u.files_quantity end), 0)
                  from storage_usage u where u.client_id = e.client_id and u.storage_name = e.storage_name
                   and (e.bucket_name = '' or u.bucket_name = e.bucket_name))
          else (select coalesce(sum(case when e.name = 'reaching_used_traffic' then m.used_traffic
                                         else m.used_requests end), 0)
                  from storage_usage_months m where m.client_id = e.client_id
                   and m.storage_name = e.storage_name and m.month = ${month}
                   and (e.bucket_name = '' or m.bucket_name = e.bucket_name))
        end as usage
       from storage_events e where client_id = ${clientId} and storage_name = ${storageName} order by uuid`);
}

export async function markReached(tx: Tx, uuid: string, reachedIn: string | null): Promise<void> {
  await tx.run(sql`update storage_events set reached_in = ${reachedIn} where uuid = ${uuid}`);
}
