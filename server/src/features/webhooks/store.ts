import { sql } from 'kysely';
import { statesBefore } from '../../kernel/transitions.ts';
import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { forgetOld } from '../../platform/database/forget-old.ts';
import { listPage, type Page, type Paging } from '../../platform/database/list-page.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import { DELIVERY_TRANSITIONS, type DeliveryState, RETRY_AFTER } from './model.ts';
import type { DeliveryListQuery, TargetListQuery } from './schema.ts';

/** Where a sealed secret belongs. */
export const secretContext = (targetId: number): string => `webhook_targets/${targetId}`;

const TARGET_COLUMNS = [
  ...(['id', 'client_id', 'url', 'created_at', 'ended_at', 'end_reason', 'previous_until'] as const),
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
  const [row] = await tx.named<{ id: number }>(
    'webhook_target_id',
    `select nextval(pg_get_serial_sequence('webhook_targets', 'id'))::int as id`,
    [],
  );
  if (!row) throw new Error('the sequence gave no id');
  return row.id;
}

type NewTarget = Pick<TargetRow, 'id' | 'client_id' | 'url' | 'created_at'> & SealedRow & SubscriptionName;

export async function insertTarget(tx: Tx, row: NewTarget): Promise<void> {
  const { auth_header_name: header = null } = row;
  await tx.named(
    'webhook_target_insert',
    `insert into webhook_targets (id, client_id, url, key_id, sealed, created_at, kind, auth_header_name)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      row.id,
      row.client_id,
      row.url,
      row.key_id,
      row.sealed,
      row.created_at.toISOString(),
      header === null ? 'events' : 'user_actions',
      header,
    ],
  );
}

const SUBSCRIPTION_COLUMNS = [...SEALED_COLUMNS, 'url', 'auth_header_name'] as const;

export type SubscriptionRow = RowOf<
  'webhook_targets',
  typeof SUBSCRIPTION_COLUMNS,
  { auth_header_name: string }
>;

const SUBSCRIPTIONS = `select ${listOf(SUBSCRIPTION_COLUMNS)} from webhook_targets
  where client_id = $1 and kind = 'user_actions' and auth_header_name is not null order by id`;

/** Where a client has its user actions posted to. */
export async function readSubscriptions(db: Queryable, clientId: number): Promise<SubscriptionRow[]> {
  return db.named<SubscriptionRow>('webhook_subscriptions', SUBSCRIPTIONS, [clientId]);
}

/** The same; nobody else of the client subscribes until the transaction ends. */
export async function lockSubscriptions(tx: Tx, clientId: number): Promise<SubscriptionRow[]> {
  await tx.named('webhook_subscriber_lock', 'select 1 from clients where id = $1 for no key update', [
    clientId,
  ]);
  return readSubscriptions(tx, clientId);
}

/** In the order of their ids. */
export const listTargets = (db: Db, { client_id, limit, offset }: TargetListQuery) =>
  listPage<TargetRow>(db, {
    ...{ table: 'webhook_targets', alias: 't', columns: listOf(TARGET_COLUMNS), limit, offset },
    where: [sql`kind = 'events'`, ...(client_id === undefined ? [] : [sql`client_id = ${client_id}::int`])],
    order: 'id',
  });

export async function readTarget(tx: Tx, id: number): Promise<TargetRow | undefined> {
  return tx.namedRow<TargetRow>(
    'webhook_target_read',
    `select ${listOf(TARGET_COLUMNS)} from webhook_targets where id = $1 and kind = 'events' for no key update`,
    [id],
  );
}

/** Gives a target another address, for what waits, too; one that has ended begins again. */
export async function moveTarget(tx: Tx, id: number, url: string): Promise<void> {
  await tx.named(
    'webhook_target_move',
    'update webhook_targets set url = $2, ended_at = null, end_reason = null where id = $1',
    [id, url],
  );
  await tx.named(
    'webhook_target_move_waiting',
    `update webhook_deliveries set url = $2 where target_id = $1 and state = 'WAITING'`,
    [id, url],
  );
}

/** Puts a new secret in the place of the one that is there, which counts until a moment. */
export async function rotateSecret(
  tx: Tx,
  { id, key_id, sealed }: SealedRow,
  previousUntil: Date,
): Promise<void> {
  await tx.named(
    'webhook_target_rotate',
    `update webhook_targets set previous_key_id = key_id, previous_sealed = sealed, previous_until = $4,
            key_id = $2, sealed = $3 where id = $1`,
    [id, key_id, sealed, previousUntil.toISOString()],
  );
}

/** Ends a target: nothing more is posted to it, and what waits is given up. One of a client's own is deleted. */
export async function endTarget(
  tx: Tx,
  id: number,
  { reason, now }: { readonly reason: string; readonly now: Date },
): Promise<void> {
  const [target] = await tx.named<{ kind: string }>(
    'webhook_target_end',
    'update webhook_targets set ended_at = $2, end_reason = $3 where id = $1 and ended_at is null returning kind',
    [id, now.toISOString(), reason],
  );
  if (target?.kind === 'user_actions') await deleteTarget(tx, id, now, reason);
  else await giveUp(tx, id, now, reason);
}

async function giveUp(tx: Tx, targetId: number, now: Date, reason: string): Promise<void> {
  await tx.named(
    'webhook_target_give_up',
    `update webhook_deliveries set state = 'FAILED', last_error = $3, ended_at = $2
      where target_id = $1 and state = 'WAITING'`,
    [targetId, now.toISOString(), reason],
  );
}

/** Deletes a target and gives up what was still to be sent to it. @returns whether there was one */
export async function deleteTarget(
  tx: Tx,
  id: number,
  now: Date,
  reason = 'the target was deleted',
): Promise<boolean> {
  await giveUp(tx, id, now, reason);
  return tx.namedAny('webhook_target_delete', 'delete from webhook_targets where id = $1 returning 1', [id]);
}

const ALL_SEALED = [...SEALED_COLUMNS, 'previous_key_id', 'previous_sealed'] as const;

export type AllSealedRow = RowOf<'webhook_targets', typeof ALL_SEALED>;

/** All secrets that are not under this key yet, locked until the transaction ends. */
export async function lockTargetsNotUnder(tx: Tx, keyId: string): Promise<AllSealedRow[]> {
  return tx.named(
    'webhook_target_old_keys',
    `select ${listOf(ALL_SEALED)} from webhook_targets
      where key_id <> $1 or previous_key_id <> $1 order by id for update`,
    [keyId],
  );
}

export async function resealTarget(tx: Tx, row: AllSealedRow): Promise<void> {
  await tx.named(
    'webhook_target_reseal',
    `update webhook_targets set key_id = $2, sealed = $3, previous_key_id = $4, previous_sealed = $5
      where id = $1`,
    [row.id, row.key_id, row.sealed, row.previous_key_id, row.previous_sealed],
  );
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
  await tx.named(
    'webhook_delivery_insert',
    `insert into webhook_deliveries
       (id, event_id, client_id, target_id, url, type, data, next_attempt_at, created_at)
     select gen_random_uuid(), $1, client_id, id, url, $3, $4, $5, $5 from webhook_targets
      where client_id = $2 and kind = 'events' and ended_at is null`,
    [event.eventId, event.clientId, event.type, JSON.stringify(event.data), event.now.toISOString()],
  );
}

const CLAIMED_COLUMNS = [
  // The attempts include the one that is being made.
  ...(['id', 'event_id', 'target_id', 'url', 'type', 'data', 'attempts', 'created_at'] as const),
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
const WAITING_TARGETS = `
  (select target_id as id from webhook_deliveries where state = 'WAITING' and target_id is not null
    order by target_id limit 1)
  union all
  select (select d.target_id from webhook_deliveries d where d.state = 'WAITING' and d.target_id > w.id
           order by d.target_id limit 1)
    from waiting w where w.id is not null`;

/** Claims deliveries whose time has come, the longest due first, and puts down when each will be tried again. */
export async function claimDue(db: Db, { now, most, mostOfOne, except }: Claim): Promise<ClaimedDelivery[]> {
  const due = (target: string) => `state = 'WAITING' and next_attempt_at <= $1 and target_id ${target}
    order by next_attempt_at, id limit $4`;
  return db.named(
    'webhook_claim',
    `with recursive waiting as (${WAITING_TARGETS}),
     due as (
       select id from webhook_deliveries where state = 'WAITING' and next_attempt_at <= $1 and id = any(array(
         select f.id from (
           select d.* from waiting w cross join lateral (
             select id, next_attempt_at from webhook_deliveries where ${due('= w.id')}) d
            where w.id <> all($5::int[])
           union all
           (select id, next_attempt_at from webhook_deliveries where not $6::boolean and ${due('is null')})) f
          order by f.next_attempt_at, f.id limit $2))
        for update skip locked),
     claimed as (
       update webhook_deliveries d set attempts = attempts + 1,
              next_attempt_at = $1::timestamptz
                + make_interval(secs => ($3::int[])[least(d.attempts + 1, array_length($3::int[], 1))])
         from due where due.id = d.id
       returning ${CLAIMED})
     select c.*, t.key_id, t.sealed, t.auth_header_name,
            case when t.previous_until > $1 then t.previous_key_id end as previous_key_id,
            case when t.previous_until > $1 then t.previous_sealed end as previous_sealed
       from claimed c left join webhook_targets t on t.id = c.target_id`,
    [
      now.toISOString(),
      most,
      [...RETRY_AFTER],
      mostOfOne,
      except.filter((id) => id !== null),
      except.includes(null),
    ],
  );
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
  await db.named(
    'webhook_close',
    `update webhook_deliveries set state = $3, last_error = $4,
            next_attempt_at = greatest(next_attempt_at, $6::timestamptz),
            ended_at = case when $3 = 'WAITING' then null else $5::timestamptz end
      where id = $1 and attempts = $2 and state = 'WAITING'`,
    [id, attempts, state, error, now.toISOString(), notBefore?.toISOString() ?? null],
  );
}

const DELIVERY_COLUMNS = [
  ...CLAIMED_COLUMNS,
  ...(['client_id', 'state', 'next_attempt_at', 'last_error', 'ended_at'] as const),
] as const;
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
  return tx.namedRow<DeliveryRow>(
    'webhook_own_delivery_read',
    `select ${COLUMNS} from webhook_deliveries
      where id = $1 and client_id = $2 and audit_id is not null for update`,
    [id, clientId],
  );
}

export async function readDelivery(tx: Tx, id: string): Promise<DeliveryRow | undefined> {
  return tx.namedRow<DeliveryRow>(
    'webhook_delivery_read',
    `select ${COLUMNS} from webhook_deliveries where id = $1 for update`,
    [id],
  );
}

/** Puts an ended delivery back among those to be made, at once.
 *  @returns the delivery as it is then; nothing when there is none that has ended and whose target takes events */
export async function replay(tx: Tx, id: string, now: Date): Promise<DeliveryRow | undefined> {
  return tx.namedRow<DeliveryRow>(
    'webhook_replay',
    `update webhook_deliveries d set state = 'WAITING', attempts = 0, next_attempt_at = $2, last_error = null,
            ended_at = null, url = t.url
       from webhook_targets t
      where d.id = $1 and d.state = any($3::text[]) and t.id = d.target_id and t.ended_at is null
      returning ${listOf(DELIVERY_COLUMNS, 'd')}`,
    [id, now.toISOString(), statesBefore(DELIVERY_TRANSITIONS, 'WAITING')],
  );
}

/** How many deliveries are still to be made. */
export async function countWaiting(db: Queryable): Promise<number> {
  return db.namedNumber(
    'webhook_backlog',
    `select count(*) as count from webhook_deliveries where state = 'WAITING'`,
    [],
  );
}

/** Forgets what ended before a moment. */
export async function deleteEnded(db: Db, before: Date): Promise<void> {
  await forgetOld(db, { table: 'webhook_deliveries', by: 'ended_at', before: before.toISOString() });
}
