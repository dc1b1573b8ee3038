import { statesBefore } from '../../kernel/transitions.ts';
import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { forgetOld } from '../../platform/database/forget-old.ts';
import { listPage, type Page, type Paging } from '../../platform/database/list-page.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import { type Sql, sql } from '../../platform/database/sql.ts';
import { DELIVERY_TRANSITIONS, type DeliveryState, RETRY_AFTER } from './model.ts';
import type { DeliveryListQuery, TargetListQuery } from './schema.ts';

/** Where a sealed secret belongs. */
export const secretContext = (targetId: number): string => `webhook_targets/${targetId}`;

const TARGET_COLUMNS = [
  'id',
  'client_id',
  'url',
  'created_at',
  'ended_at',
  'end_reason',
  'previous_until',
] as const;

export type TargetRow = RowOf<'webhook_targets', typeof TARGET_COLUMNS>;

/** What of a target is kept for whom it is: clients that subscribe to their user actions give a header. */
interface SubscriptionName {
  readonly auth_header_name?: string;
}

const SEALED_COLUMNS = ['id', 'key_id', 'sealed'] as const;

export type SealedRow = RowOf<'webhook_targets', typeof SEALED_COLUMNS>;

/** The next id; a secret is sealed for the id of its row, so that is needed before the row. */
export async function nextTargetId(tx: Tx): Promise<number> {
  const [row] = await tx.rows<{ id: number }>(
    sql`select nextval(pg_get_serial_sequence('webhook_targets', 'id'))::int as id`,
  );
  if (!row) throw new Error('the sequence gave no id');
  return row.id;
}

type NewTarget = Pick<TargetRow, 'id' | 'client_id' | 'url' | 'created_at'> & SealedRow & SubscriptionName;

export async function insertTarget(tx: Tx, row: NewTarget): Promise<void> {
  const { auth_header_name: header = null } = row;
  await tx.run(sql`insert into webhook_targets (id, client_id, url, key_id, sealed, created_at, kind, auth_header_name)
     values (${row.id}, ${row.client_id}, ${row.url}, ${row.key_id}, ${row.sealed}, ${row.created_at.toISOString()}, ${header === null ? 'events' : 'user_actions'}, ${header})`);
}

const SUBSCRIPTION_COLUMNS = [...SEALED_COLUMNS, 'url', 'auth_header_name'] as const;

export type SubscriptionRow = RowOf<
  'webhook_targets',
  typeof SUBSCRIPTION_COLUMNS,
  { auth_header_name: string }
>;

/** Where a client has its user actions posted to. */
export async function readSubscriptions(db: Queryable, clientId: number): Promise<SubscriptionRow[]> {
  return db.rows<SubscriptionRow>(sql`select ${listOf(SUBSCRIPTION_COLUMNS)} from webhook_targets
  where client_id = ${clientId} and kind = 'user_actions' and auth_header_name is not null order by id`);
}

/** The same; nobody else of the client subscribes until the transaction ends. */
export async function lockSubscriptions(tx: Tx, clientId: number): Promise<SubscriptionRow[]> {
  await tx.run(sql`select 1 from clients where id = ${clientId} for no key update`);
  return readSubscriptions(tx, clientId);
}

/** In the order of their ids. */
export const listTargets = (db: Db, { client_id, limit, offset }: TargetListQuery) =>
  listPage<TargetRow>(db, {
    table: 'webhook_targets',
    alias: 't',
    columns: listOf(TARGET_COLUMNS),
    limit,
    offset,
    where: [sql`kind = 'events'`, ...(client_id === undefined ? [] : [sql`client_id = ${client_id}::int`])],
    order: 'id',
  });

export async function readTarget(tx: Tx, id: number): Promise<TargetRow | undefined> {
  return tx.row<TargetRow>(
    sql`select ${listOf(TARGET_COLUMNS)} from webhook_targets where id = ${id} and kind = 'events' for no key update`,
  );
}

/** Gives a target another address, for what waits, too; one that has ended begins again. */
export async function moveTarget(tx: Tx, id: number, url: string): Promise<void> {
  await tx.run(
    sql`update webhook_targets set url = ${url}, ended_at = null, end_reason = null where id = ${id}`,
  );
  await tx.run(sql`update webhook_deliveries set url = ${url} where target_id = ${id} and state = 'WAITING'`);
}

/** Puts a new secret in the place of the one that is there, which counts until a moment. */
export async function rotateSecret(
  tx: Tx,
  { id, key_id, sealed }: SealedRow,
  previousUntil: Date,
): Promise<void> {
  await tx.run(sql`update webhook_targets set previous_key_id = key_id, previous_sealed = sealed, previous_until = ${previousUntil.toISOString()},
            key_id = ${key_id}, sealed = ${sealed} where id = ${id}`);
}

/** Ends a target: nothing more is posted to it, and what waits is given up. One of a client's own is deleted. */
export async function endTarget(
  tx: Tx,
  id: number,
  { reason, now }: { readonly reason: string; readonly now: Date },
): Promise<void> {
  const [target] = await tx.rows<{ kind: string }>(
    sql`update webhook_targets set ended_at = ${now.toISOString()}, end_reason = ${reason} where id = ${id} and ended_at is null returning kind`,
  );
  if (target?.kind === 'user_actions') await deleteTarget(tx, id, now, reason);
  else await giveUp(tx, id, now, reason);
}

async function giveUp(tx: Tx, targetId: number, now: Date, reason: string): Promise<void> {
  await tx.run(sql`update webhook_deliveries set state = 'FAILED', last_error = ${reason}, ended_at = ${now.toISOString()}
      where target_id = ${targetId} and state = 'WAITING'`);
}

/** Deletes a target and gives up what was still to be sent to it. @returns whether there was one */
export async function deleteTarget(
  tx: Tx,
  id: number,
  now: Date,
  reason = 'the target was deleted',
): Promise<boolean> {
  await giveUp(tx, id, now, reason);
  return tx.any(sql`delete from webhook_targets where id = ${id} returning 1`);
}

const ALL_SEALED = [...SEALED_COLUMNS, 'previous_key_id', 'previous_sealed'] as const;

export type AllSealedRow = RowOf<'webhook_targets', typeof ALL_SEALED>;

/** All secrets that are not under this key yet, locked until the transaction ends. */
export async function lockTargetsNotUnder(tx: Tx, keyId: string): Promise<AllSealedRow[]> {
  return tx.rows(sql`select ${listOf(ALL_SEALED)} from webhook_targets
      where key_id <> ${keyId} or previous_key_id <> ${keyId} order by id for update`);
}

export async function resealTarget(tx: Tx, row: AllSealedRow): Promise<void> {
  await tx.run(sql`update webhook_targets set key_id = ${row.key_id}, sealed = ${row.sealed}, previous_key_id = ${row.previous_key_id}, previous_sealed = ${row.previous_sealed}
      where id = ${row.id}`);
}

export interface NewDeliveries {
  readonly eventId: string;
  readonly clientId: number;
  readonly type: string;
  readonly data: unknown;
  readonly now: Date;
}

/** One delivery for each target of the client. */
export async function insertDeliveries(tx: Tx, event: NewDeliveries): Promise<void> {
  const now = event.now.toISOString();
  await tx.run(sql`insert into webhook_deliveries
       (id, event_id, client_id, target_id, url, type, data, next_attempt_at, created_at)
     select gen_random_uuid(), ${event.eventId}, client_id, id, url, ${event.type}, ${JSON.stringify(event.data)},
            ${now}, ${now}
       from webhook_targets where client_id = ${event.clientId} and kind = 'events' and ended_at is null`);
}

const CLAIMED_COLUMNS = [
  // The attempts include the one that is being made.
  'id',
  'event_id',
  'client_id',
  'target_id',
  'url',
  'type',
  'data',
  'attempts',
  'created_at',
] as const;
const CLAIMED = listOf(CLAIMED_COLUMNS, 'd');

export interface ClaimedDelivery
  extends RowOf<'webhook_deliveries', typeof CLAIMED_COLUMNS, { data: unknown }> {
  readonly key_id: string | null;
  readonly sealed: Buffer | null;
  /** Of the secret before, while calls are signed with both. */
  readonly previous_key_id: string | null;
  readonly previous_sealed: Buffer | null;
  /** Of a subscription to user actions; null: the call is signed. */
  readonly auth_header_name: string | null;
}

export interface Claim {
  readonly now: Date;
  /** How many at the most. */
  readonly most: number;
  /** How many of one target at the most. */
  readonly mostOfOne: number;
  /** Targets of which none are claimed; null: those that were deleted. */
  readonly except: readonly (number | null)[];
}

/** Targets for which something waits: each is found from the one before it, so that all others cost nothing. */
const WAITING_TARGETS = sql`
  (select target_id as id from webhook_deliveries where state = 'WAITING' and target_id is not null
    order by target_id limit 1)
  union all
  select (select d.target_id from webhook_deliveries d where d.state = 'WAITING' and d.target_id > w.id
           order by d.target_id limit 1)
    from waiting w where w.id is not null`;

/** Claims deliveries whose time has come, the longest due first, and puts down when each will be tried again. */
export async function claimDue(db: Db, { now, most, mostOfOne, except }: Claim): Promise<ClaimedDelivery[]> {
  const at = sql`${now.toISOString()}::timestamptz`;
  const pauses = sql`${[...RETRY_AFTER]}::int[]`;
  const due = (target: Sql) => sql`state = 'WAITING' and next_attempt_at <= ${at} and target_id ${target}
    order by next_attempt_at, id limit ${mostOfOne}`;
  return db.rows<ClaimedDelivery>(sql`with recursive waiting as (${WAITING_TARGETS}),
     due as (
       select id from webhook_deliveries where state = 'WAITING' and next_attempt_at <= ${at} and id = any(array(
         select f.id from (
           select d.* from waiting w cross join lateral (
             select id, next_attempt_at from webhook_deliveries where ${due(sql`= w.id`)}) d
            where w.id <> all(${except.filter((id) => id !== null)}::int[])
           union all
           (select id, next_attempt_at from webhook_deliveries where not ${except.includes(null)}::boolean and ${due(sql`is null`)})) f
          order by f.next_attempt_at, f.id limit ${most}))
        for update skip locked),
     claimed as (
       update webhook_deliveries d set attempts = attempts + 1,
              next_attempt_at = ${at}
                + make_interval(secs => (${pauses})[least(d.attempts + 1, array_length(${pauses}, 1))])
         from due where due.id = d.id
       returning ${CLAIMED})
     select c.*, t.key_id, t.sealed, t.auth_header_name,
            case when t.previous_until > ${at} then t.previous_key_id end as previous_key_id,
            case when t.previous_until > ${at} then t.previous_sealed end as previous_sealed
       from claimed c left join webhook_targets t on t.id = c.target_id`);
}

export interface AttemptEnd {
  readonly state: DeliveryState;
  readonly error: string | null;
  readonly now: Date;
  /** The next attempt is not made before. */
  readonly notBefore?: Date | undefined;
}

/** Writes what came of an attempt, unless a later one has begun. */
export async function closeAttempt(
  db: Queryable,
  { id, attempts }: ClaimedDelivery,
  { state, error, now, notBefore }: AttemptEnd,
): Promise<void> {
  await db.run(sql`update webhook_deliveries set state = ${state}, last_error = ${error},
            next_attempt_at = greatest(next_attempt_at, ${notBefore?.toISOString() ?? null}::timestamptz),
            ended_at = case when ${state} = 'WAITING' then null else ${now.toISOString()}::timestamptz end
      where id = ${id} and attempts = ${attempts} and state = 'WAITING'`);
}

const DELIVERY_COLUMNS = [...CLAIMED_COLUMNS, 'state', 'next_attempt_at', 'last_error', 'ended_at'] as const;
const COLUMNS = listOf(DELIVERY_COLUMNS);

export type DeliveryRow = RowOf<
  'webhook_deliveries',
  typeof DELIVERY_COLUMNS,
  { data: unknown; state: DeliveryState }
>;

/** Newest first. Only what is asked becomes a condition: PostgreSQL would not choose an index for one that may be
 *  none. */
export function listDeliveries(db: Db, query: DeliveryListQuery): Promise<Page<DeliveryRow>> {
  const { client_id: client, state, type, limit, offset } = query;
  return listPage<DeliveryRow>(db, {
    table: 'webhook_deliveries',
    alias: 'd',
    columns: COLUMNS,
    limit,
    offset,
    where: [
      ...(client === undefined ? [] : [sql`client_id = ${client}::int`]),
      ...(state === undefined ? [] : [sql`state = ${state}`]),
      ...(type === undefined ? [] : [sql`type = ${type}`]),
    ],
    order: 'created_at desc, id desc',
  });
}

/** What was posted to a client's own subscriptions, and what waits; newest first. */
export function listOwnDeliveries(
  db: Db,
  clientId: number,
  { state, limit, offset }: Paging & { readonly state?: DeliveryState | undefined },
): Promise<Page<DeliveryRow>> {
  return listPage<DeliveryRow>(db, {
    table: 'webhook_deliveries',
    alias: 'd',
    columns: COLUMNS,
    limit,
    offset,
    where: [
      sql`client_id = ${clientId}::int and audit_id is not null`,
      ...(state === undefined ? [] : [sql`state = ${state}`]),
    ],
    order: 'created_at desc, id desc',
  });
}

/** A delivery to a subscription of the client, locked until the transaction ends. */
export async function readOwnDelivery(
  tx: Tx,
  id: string,
  clientId: number,
): Promise<DeliveryRow | undefined> {
  return tx.row<DeliveryRow>(sql`select ${COLUMNS} from webhook_deliveries
      where id = ${id} and client_id = ${clientId} and audit_id is not null for update`);
}

export async function readDelivery(tx: Tx, id: string): Promise<DeliveryRow | undefined> {
  return tx.row<DeliveryRow>(sql`select ${COLUMNS} from webhook_deliveries where id = ${id} for update`);
}

/** Puts an ended delivery back among those to be made, at once.
 *  @returns the delivery as it is then; nothing when there is none that has ended and whose target takes events */
export async function replay(tx: Tx, id: string, now: Date): Promise<DeliveryRow | undefined> {
  return tx.row<DeliveryRow>(sql`update webhook_deliveries d set state = 'WAITING', attempts = 0, next_attempt_at = ${now.toISOString()}, last_error = null,
            ended_at = null, url = t.url
       from webhook_targets t
      where d.id = ${id} and d.state = any(${statesBefore(DELIVERY_TRANSITIONS, 'WAITING')}::text[]) and t.id = d.target_id and t.ended_at is null
      returning ${listOf(DELIVERY_COLUMNS, 'd')}`);
}

/** How many deliveries are still to be made. */
export async function countWaiting(db: Queryable): Promise<number> {
  return db.number(sql`select count(*) as count from webhook_deliveries where state = 'WAITING'`);
}

/** Forgets what ended before a moment. */
export async function deleteEnded(db: Db, before: Date): Promise<void> {
  await forgetOld(db, { table: 'webhook_deliveries', by: 'ended_at', before: before.toISOString() });
}
