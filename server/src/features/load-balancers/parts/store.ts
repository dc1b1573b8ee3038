import type { Queryable, Tx } from '../../../platform/database/db.ts';
import type { Hold } from '../../../platform/database/held-table.ts';
import { listOf } from '../../../platform/database/rows.ts';
import { empty, join, raw, type Sql, sql } from '../../../platform/database/sql.ts';
import { CHANGED_COLUMNS } from '../columns.ts';
import type { OperatingStatus, PartRows, ProvisioningStatus } from '../model.ts';
import type { LastCheck } from '../port.ts';
import { ALL_KINDS, KINDS, type PartKind, STATE_COLUMNS } from './kinds.ts';
import type { NewRow } from './rows.ts';

/** All SQL that changes parts of load balancers, the same for every kind. */

/** The insertion of parts of one kind. */
export function insertionOfParts(kind: PartKind, rows: readonly NewRow[]): Sql {
  const { table, columns } = KINDS[kind];
  const [into, all] = [raw(table), listOf([...STATE_COLUMNS, ...columns])];
  return sql`insert into ${into} (${all})
    select ${all} from jsonb_populate_recordset(null::${into}, ${JSON.stringify(rows)}::jsonb)`;
}

export const insertParts = (tx: Tx, kind: PartKind, rows: readonly NewRow[]): Promise<void> =>
  tx.run(insertionOfParts(kind, rows));

/** New values for columns of a part that can change. */
export type Changes<Kind extends PartKind> = Partial<
  Pick<PartRows[Kind], (typeof CHANGED_COLUMNS)[Kind][number] & keyof PartRows[Kind]>
>;

export interface PartPatch<Kind extends PartKind> {
  readonly id: string;
  readonly set: Changes<Kind>;
}

/** New values by the kind of part. */
export type Updates = { readonly [Kind in PartKind]?: readonly PartPatch<Kind>[] };

/** Writes new values of one kind of the parts of a load balancer, and keeps the old ones until the change is settled.
 *  @param hold of the load balancer */
export async function updateParts<Kind extends PartKind>(
  tx: Tx,
  kind: Kind,
  { [kind]: patches = [] }: Updates,
  { id, taskId, timestamp }: Hold,
): Promise<void> {
  if (patches.length === 0) return;
  const columns = CHANGED_COLUMNS[kind];
  await tx.run(sql`update ${raw(KINDS[kind].table)} t
     set (${listOf(columns)}) = (select ${listOf(columns, 'p')} from jsonb_populate_record(t, r.set) p),
         previous = to_jsonb(t) - 'previous', provisioning_status = 'PENDING_UPDATE', task_id = ${taskId}::uuid,
         updated_at = ${timestamp}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(patches)}::jsonb) as r (id uuid, set jsonb)
   where t.id = r.id and t.load_balancer_id = ${id}::uuid`);
}

/** CTEs that do the same to the parts of every kind, or of some. */
const forEachKind = (
  part: (table: Sql, kind: PartKind) => Sql,
  kinds: readonly PartKind[] = ALL_KINDS.map(([kind]) => kind),
): Sql => {
  const parts = kinds.map((kind) => part(raw(KINDS[kind].table), kind));
  return parts.length === 0 ? empty : join(parts, ', ');
};

export interface HeldPart {
  readonly kind: PartKind;
  readonly id: string;
  readonly status: ProvisioningStatus;
}

/** Gives a load balancer and some of its parts to a task, as a new version. */
export async function hold(
  tx: Tx,
  { id, taskId }: { id: string; taskId: string },
  parts: readonly HeldPart[],
): Promise<void> {
  const held = forEachKind(
    (table, kind) => sql`${raw(kind)} as (
    update ${table} t set provisioning_status = g.status, task_id = ${taskId}
      from given g where g.kind = ${raw(`'${kind}'`)} and t.id = g.id and t.load_balancer_id = ${id})`,
  );
  await tx.run(sql`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(parts)}::jsonb) as g (kind text, id uuid, status text)),
    ${held}
    update load_balancers set provisioning_status = 'PENDING_UPDATE', task_id = ${taskId}, version = version + 1
     where id = ${id}`);
}

export interface PartStatus {
  readonly kind: PartKind;
  readonly id: string;
  readonly status: OperatingStatus;
  /** Of a member. Null: nothing checks it, or nothing has yet. */
  readonly lastCheck?: LastCheck | null;
}

/** What else is written of a part `t` with what was seen of it, `g`. As long as a member stays as it is, so does
 *  the time since when: a data plane that was started again only knows the time since then. */
export function seenOf(kind: PartKind): { readonly set: Sql; readonly differs: Sql } {
  if (kind !== 'member') return { set: empty, differs: empty };
  const lastCheck = sql`case when t.operating_status = g.status and t.last_check ->> 'since' < g."lastCheck" ->> 'since'
      then g."lastCheck" || jsonb_build_object('since', t.last_check -> 'since') else g."lastCheck" end`;
  return {
    set: sql`, last_check = ${lastCheck}`,
    differs: sql` or t.last_check is distinct from ${lastCheck}`,
  };
}

/** Ends a task's hold with the transaction: what was to be deleted is gone, everything else is ACTIVE with the operating
 *  status that the data plane gave.
 *  @param isNew nothing of it has ever changed: nothing is to be deleted. Only what there is costs something then: most
 *    new load balancers have parts of few kinds, or none */
export function settleLoadBalancer(
  tx: Tx,
  { id, taskId, isNew }: { id: string; taskId: string; isNew: boolean },
  status: OperatingStatus,
  parts: readonly PartStatus[],
): void {
  const has = new Set(parts.map(({ kind }) => kind));
  const kinds = ALL_KINDS.map(([kind]) => kind).filter((kind) => !isNew || has.has(kind));
  const gone = forEachKind(
    (table, kind) => sql`${raw(kind)}_gone as (
    delete from ${table} where load_balancer_id = ${id} and provisioning_status = 'PENDING_DELETE')`,
  );
  const given = sql`given as (
      select * from jsonb_to_recordset(${JSON.stringify(parts)}::jsonb)
        as g (kind text, id uuid, status text, "lastCheck" jsonb))`;
  const settled = forEachKind((table, kind) => settledParts(table, kind, id), kinds);
  const first = kinds.length === 0 ? empty : sql`with ${given}, ${isNew ? empty : sql`${gone}, `}${settled}`;
  tx.atCommit(sql`${first}
    update load_balancers set provisioning_status = 'ACTIVE', operating_status = ${status}, task_id = null
     where id = ${id} and task_id = ${taskId}`);
}

const settledParts = (table: Sql, kind: PartKind, id: string): Sql => sql`${raw(kind)} as (
    update ${table} t set provisioning_status = 'ACTIVE', operating_status = g.status, task_id = null,
           previous = null${seenOf(kind).set}
      from given g
     where g.kind = ${raw(`'${kind}'`)} and t.id = g.id and t.load_balancer_id = ${id}
       and t.provisioning_status <> 'PENDING_DELETE'
       and (t.provisioning_status <> 'ACTIVE' or t.operating_status <> g.status or t.task_id is not null${seenOf(kind).differs}))`;

/** Undoes a change of parts, as yet another version, once: `changed` is the version that is undone. New
 *  parts are gone, changed ones are as they were, deleted ones are desired again; the task still holds them. */
export async function restoreParts(
  db: Queryable,
  { id, taskId, changed }: { id: string; taskId: string; changed: number },
): Promise<void> {
  await db.run(sql`
    with lb as (
      update load_balancers set version = version + 1
       where id = ${id} and task_id = ${taskId} and version = ${changed} returning id),
    ${RESTORED}
    select 1`);
}

const RESTORED = forEachKind((table, kind) => {
  const columns = [...CHANGED_COLUMNS[kind], 'updated_at'];
  return sql`${raw(kind)}_new as (
      delete from ${table} t using lb where t.load_balancer_id = lb.id and t.provisioning_status = 'PENDING_CREATE'
    ), ${raw(kind)} as (
      update ${table} t
         set (${listOf(columns)}) = (
               select ${listOf(columns, 'p')} from jsonb_populate_record(t, coalesce(t.previous, '{}')) p),
             previous = null, provisioning_status = 'PENDING_UPDATE'
        from lb where t.load_balancer_id = lb.id
         and (t.previous is not null or t.provisioning_status = 'PENDING_DELETE'))`;
});

/** Ends a task's hold of a load balancer and its parts in ERROR. */
export async function markFailed(tx: Tx, id: string, taskId: string): Promise<void> {
  const parts = forEachKind(
    (table, kind) => sql`${raw(kind)} as (
    update ${table} set provisioning_status = 'ERROR', task_id = null, previous = null
     where load_balancer_id = ${id} and task_id = ${taskId})`,
  );
  await tx.run(sql`with ${parts}
    update load_balancers set provisioning_status = 'ERROR', task_id = null where id = ${id} and task_id = ${taskId}`);
}

/** The load balancer that a part belongs to. */
export async function readOwner(
  db: Queryable,
  kind: PartKind,
  where: { readonly id: string; readonly projectId: number; readonly regionId: number },
): Promise<string | undefined> {
  const [row] = await db.rows<{
    id: string;
  }>(sql`select lb.id from ${raw(KINDS[kind].table)} t join load_balancers lb on lb.id = t.load_balancer_id
      where t.id = ${where.id} and lb.project_id = ${where.projectId} and lb.region_id = ${where.regionId}`);
  return row?.id;
}
