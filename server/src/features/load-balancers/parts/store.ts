import type { Queryable, Tx } from '../../../platform/database/db.ts';
import type { Hold } from '../../../platform/database/held-table.ts';
import { CHANGED_COLUMNS } from '../columns.ts';
import type { OperatingStatus, PartRows, ProvisioningStatus } from '../model.ts';
import type { LastCheck } from '../port.ts';
import { ALL_KINDS, KINDS, type PartKind, STATE_COLUMNS } from './kinds.ts';
import type { NewRow } from './rows.ts';

/** All SQL that changes parts of load balancers, the same for every kind. */

/** @param parameter number of the statement's parameter that holds the rows */
export function insertSql(kind: PartKind, parameter: number): string {
  const { table, columns } = KINDS[kind];
  const all = [...STATE_COLUMNS, ...columns].join(', ');
  return `insert into ${table} (${all}) select ${all} from jsonb_populate_recordset(null::${table}, $${parameter}::jsonb)`;
}

export async function insertParts(tx: Tx, kind: PartKind, rows: readonly NewRow[]): Promise<void> {
  await tx.named(`lb_insert_${kind}`, insertSql(kind, 1), [JSON.stringify(rows)]);
}

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
  const values = [JSON.stringify(patches), taskId, timestamp, id];
  await tx.named(`lb_update_${kind}`, updateSql(kind), values);
}

function updateSql(kind: PartKind): string {
  const columns = CHANGED_COLUMNS[kind];
  return `update ${KINDS[kind].table} t
     set (${columns.join(', ')}) = (select ${columns.map((name) => `p.${name}`).join(', ')}
                                      from jsonb_populate_record(t, r.set) p),
         previous = to_jsonb(t) - 'previous', provisioning_status = 'PENDING_UPDATE', task_id = $2::uuid,
         updated_at = $3::timestamptz
    from jsonb_to_recordset($1::jsonb) as r (id uuid, set jsonb)
   where t.id = r.id and t.load_balancer_id = $4::uuid`;
}

/** One statement that does the same to the parts of every kind, and then something to the load balancer. */
const forEachKind = (sql: (table: string, kind: PartKind) => string, last: string) =>
  `with ${ALL_KINDS.map(([kind, { table }]) => sql(table, kind)).join(', ')} ${last}`;

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
  await tx.named('lb_hold_parts', HOLD, [JSON.stringify(parts), id, taskId]);
}

const HOLD = forEachKind(
  (table, kind) => `${kind} as (
    update ${table} t set provisioning_status = g.status, task_id = $3
      from jsonb_to_recordset($1::jsonb) as g (kind text, id uuid, status text)
     where g.kind = '${kind}' and t.id = g.id and t.load_balancer_id = $2)`,
  `update load_balancers set provisioning_status = 'PENDING_UPDATE', task_id = $3, version = version + 1
    where id = $2`,
);

export interface PartStatus {
  readonly kind: PartKind;
  readonly id: string;
  readonly status: OperatingStatus;
  /** Of a member. Null: nothing checks it, or nothing has yet. */
  readonly lastCheck?: LastCheck | null;
}

/** What else is written of a part `t` with what was seen of it, `g`. As long as a member stays as it is, so does
 *  the time since when: a data plane that was started again only knows the time since then. */
export function seenSql(kind: PartKind): { columns: string; set: string; differs: string } {
  if (kind !== 'member') return { columns: '', set: '', differs: '' };
  const lastCheck = `case when t.operating_status = g.status and t.last_check ->> 'since' < g."lastCheck" ->> 'since'
      then g."lastCheck" || jsonb_build_object('since', t.last_check -> 'since') else g."lastCheck" end`;
  return {
    columns: ', "lastCheck" jsonb',
    set: `, last_check = ${lastCheck}`,
    differs: ` or t.last_check is distinct from ${lastCheck}`,
  };
}

/** Ends a task's hold with the transaction: what was to be deleted is gone, everything else is ACTIVE with the operating
 *  status that the data plane gave.
 *  @param isNew nothing of it has ever changed: nothing is to be deleted */
export function settleLoadBalancer(
  tx: Tx,
  { id, taskId, isNew }: { id: string; taskId: string; isNew: boolean },
  status: OperatingStatus,
  parts: readonly PartStatus[],
): void {
  const has = new Set(parts.map(({ kind }) => kind));
  const [name, sql] = isNew
    ? settleNewSql(ALL_KINDS.map(([kind]) => kind).filter((kind) => has.has(kind)))
    : SETTLE;
  const values = [id, taskId, status];
  tx.atCommit(name, sql, has.size > 0 || !isNew ? [...values, JSON.stringify(parts)] : values);
}

const SETTLE_LAST = `update load_balancers set provisioning_status = 'ACTIVE', operating_status = $3, task_id = null
    where id = $1 and task_id = $2`;

function settlePartsSql(table: string, kind: PartKind): string {
  const seen = seenSql(kind);
  return `${kind} as (
    update ${table} t set provisioning_status = 'ACTIVE', operating_status = g.status, task_id = null,
           previous = null${seen.set}
      from jsonb_to_recordset($4::jsonb) as g (kind text, id uuid, status text${seen.columns})
     where g.kind = '${kind}' and t.id = g.id and t.load_balancer_id = $1 and t.provisioning_status <> 'PENDING_DELETE'
       and (t.provisioning_status <> 'ACTIVE' or t.operating_status <> g.status or t.task_id is not null${seen.differs}))`;
}

const SETTLE = [
  'lb_settle',
  forEachKind(
    (table, kind) => `${kind}_gone as (
    delete from ${table} where load_balancer_id = $1 and provisioning_status = 'PENDING_DELETE'
  ), ${settlePartsSql(table, kind)}`,
    SETTLE_LAST,
  ),
] as const;

const settleNew = new Map<string, readonly [string, string]>();

/** Only what there is costs something: most new load balancers have parts of few kinds, or none. */
function settleNewSql(kinds: readonly PartKind[]): readonly [name: string, sql: string] {
  const name = ['lb_settle_new', ...kinds].join('_');
  const known = settleNew.get(name);
  if (known) return known;
  const parts = kinds.map((kind) => settlePartsSql(KINDS[kind].table, kind));
  const made = [name, `${parts.length > 0 ? `with ${parts.join(', ')} ` : ''}${SETTLE_LAST}`] as const;
  settleNew.set(name, made);
  return made;
}

/** Undoes a change of parts, as yet another version, once: `changed` is the version that is undone. New
 *  parts are gone, changed ones are as they were, deleted ones are desired again; the task still holds them. */
export async function restoreParts(
  db: Queryable,
  { id, taskId, changed }: { id: string; taskId: string; changed: number },
): Promise<void> {
  await db.named('lb_restore_parts', RESTORE, [id, taskId, changed]);
}

const RESTORE = `with lb as (
    update load_balancers set version = version + 1 where id = $1 and task_id = $2 and version = $3 returning id
  ), ${ALL_KINDS.map(([kind, { table }]) => {
    const columns = [...CHANGED_COLUMNS[kind], 'updated_at'];
    return `${kind}_new as (
      delete from ${table} t using lb where t.load_balancer_id = lb.id and t.provisioning_status = 'PENDING_CREATE'
    ), ${kind} as (
      update ${table} t
         set (${columns.join(', ')}) = (select ${columns.map((name) => `p.${name}`).join(', ')}
                                          from jsonb_populate_record(t, coalesce(t.previous, '{}')) p),
             previous = null, provisioning_status = 'PENDING_UPDATE'
        from lb where t.load_balancer_id = lb.id
         and (t.previous is not null or t.provisioning_status = 'PENDING_DELETE'))`;
  }).join(', ')} select 1`;

/** Ends a task's hold of a load balancer and its parts in ERROR. */
export async function markFailed(tx: Tx, id: string, taskId: string): Promise<void> {
  await tx.named('lb_failed', FAILED, [id, taskId]);
}

const FAILED = forEachKind(
  (table, kind) => `${kind} as (
    update ${table} set provisioning_status = 'ERROR', task_id = null, previous = null
     where load_balancer_id = $1 and task_id = $2)`,
  `update load_balancers set provisioning_status = 'ERROR', task_id = null where id = $1 and task_id = $2`,
);

/** The load balancer that a part belongs to. */
export async function readOwner(
  db: Queryable,
  kind: PartKind,
  where: { readonly id: string; readonly projectId: number; readonly regionId: number },
): Promise<string | undefined> {
  const [row] = await db.named<{ id: string }>(
    `lb_owner_of_${kind}`,
    `select lb.id from ${KINDS[kind].table} t join load_balancers lb on lb.id = t.load_balancer_id
      where t.id = $1 and lb.project_id = $2 and lb.region_id = $3`,
    [where.id, where.projectId, where.regionId],
  );
  return row?.id;
}
