import type { Db, Queryable } from '../../../platform/database/db.ts';
import { forgetOld, inBatches, SOME } from '../../../platform/database/forget-old.ts';
import { raw, sql } from '../../../platform/database/sql.ts';
import { COUNTED } from '../counters.ts';
import type { StatsRow } from '../list-store.ts';
import type { CountedResponses } from '../port.ts';
import type { FullSample } from './series.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Samples are kept as they come for a day, one of each quarter of an hour for 30 days. */

/** What the data plane of one load balancer uses. */
export interface UsageRow {
  readonly id: string;
  readonly vcpus: number;
  readonly cpuMs: number | null;
  readonly memoryUtil: number | null;
  /** null: they are not counted. */
  readonly responses: CountedResponses | null;
}

export interface SampledRow {
  readonly id: string;
  readonly flavor: string | null;
}

/** Load balancers of these regions that carry traffic or could. */
export async function readSampled(
  db: Queryable,
  regionIds: readonly number[],
): Promise<(SampledRow & { region_id: number })[]> {
  return db.rows(sql`select id, region_id, flavor from load_balancers
      where region_id = any(${regionIds}::int[]) and vip_address is not null`);
}

/** `ERROR` comes after `DEGRADED` in the alphabet, so that the worst is the greatest. */
const ALERT = sql`case when lb.operating_status in ('DEGRADED', 'ERROR') then lb.operating_status end`;
const WORST_SINCE = sql`(select max(w.alert) from lb_samples w where w.load_balancer_id = lb.id and w.at >
  coalesce((select max(q.at) from lb_samples q where q.load_balancer_id = lb.id and q.coarse), '-infinity'))`;

/** One sample of each, in one statement; those that were deleted meanwhile are left out. */
export async function insertSamples(
  db: Queryable,
  usage: readonly UsageRow[],
  at: string,
  coarse: boolean,
): Promise<void> {
  const worst = coarse ? WORST_SINCE : sql`null::text`;
  await db.run(sql`insert into lb_samples (load_balancer_id, at, bytes_in, bytes_out, connections, cpu_ms, vcpus, memory_util,
       responses_2xx, responses_3xx, responses_4xx, responses_5xx, responses_other, responses_timed, response_ms, alert, coarse)
     select lb.id, ${at}, coalesce(s.bytes_in, 0), coalesce(s.bytes_out, 0), coalesce(s.connections, 0), r."cpuMs", r.vcpus,
            r."memoryUtil", c."2xx", c."3xx", c."4xx", c."5xx", c.other, c.timed, c.milliseconds,
            greatest(${ALERT}, ${worst}), ${coarse}
       from jsonb_to_recordset(${JSON.stringify(usage)}::jsonb) as r (id uuid, vcpus smallint, "cpuMs" bigint, "memoryUtil" real,
              responses jsonb)
       join load_balancers lb on lb.id = r.id
      cross join lateral jsonb_to_record(coalesce(r.responses, '{}'::jsonb)) as c ("2xx" bigint, "3xx" bigint, "4xx" bigint,
              "5xx" bigint, other bigint, timed bigint, milliseconds bigint)
       left join lateral (
         select sum(bytes_in)::bigint as bytes_in, sum(bytes_out)::bigint as bytes_out,
                sum(total_connections)::bigint as connections
           from (${COUNTED}) c where c.load_balancer_id = lb.id
       ) s on true
        for key share of lb
     on conflict do nothing`);
}

/** Forgets what is too old. */
export async function thinSamples(db: Db, now: Date): Promise<void> {
  const before = (days: number) => new Date(now.getTime() - days * DAY_MS).toISOString();
  const old = { table: 'lb_samples', by: 'at' };
  await forgetOld(db, { ...old, before: before(1), where: 'not coarse' });
  await forgetOld(db, { ...old, before: before(30), where: 'coarse' });
}

/** Adds up what listeners that are gone had counted: what a load balancer has carried never falls. */
export async function addUpEnded(db: Db): Promise<void> {
  await inBatches(async () => {
    const ended = await db.rows<{ id: string }>(sql`
  select listener_id as id from lb_listener_stats s
   where not exists (select from lb_listeners l where l.id = s.listener_id) limit ${raw(SOME)}`);
    if (ended.length > 0) await addUp(db, ended);
    return ended.length;
  });
}

const addUp = (db: Db, ended: readonly { readonly id: string }[]): Promise<void> =>
  db.transaction(async (tx) => {
    // Who has seen one of these listeners, and is about to write what it has counted, comes first or sees it gone.
    await tx.run(sql`lock table lb_listener_stats in share row exclusive mode`);
    await tx.run(sql`
  with ended as (delete from lb_listener_stats where listener_id = any(${ended.map(({ id }) => id)}::uuid[]) returning *)
  insert into lb_ended_stats as s (load_balancer_id, bytes_in, bytes_out, request_errors, total_connections)
  select load_balancer_id, sum(bytes_in), sum(bytes_out), sum(request_errors), sum(total_connections)
    from ended group by load_balancer_id
  on conflict (load_balancer_id) do update set bytes_in = s.bytes_in + excluded.bytes_in,
    bytes_out = s.bytes_out + excluded.bytes_out, request_errors = s.request_errors + excluded.request_errors,
    total_connections = s.total_connections + excluded.total_connections`);
  });

const COUNTERS_OF_SAMPLE = sql`at, bytes_in, bytes_out, connections, cpu_ms, vcpus, memory_util, responses_2xx, responses_3xx,
  responses_4xx, responses_5xx, responses_other, responses_timed, response_ms`;

/** The last sample of each step within a window, oldest first, with the worst status of the step; in front the one before the window, or the very
 *  first, from which the counters began. */
export async function readSamples(
  db: Queryable,
  id: string,
  since: Date,
  stepSeconds: number,
): Promise<FullSample[]> {
  const from = sql`${since.toISOString()}::timestamptz`;
  return db.rows<FullSample>(sql`
    with steps as (
      select s.*, max(s.alert) over (partition by s.step) as worst from (
        select *, floor(extract(epoch from at) / ${stepSeconds}::float8) as step
          from lb_samples where load_balancer_id = ${id} and at >= ${from}) s)
    (select ${COUNTERS_OF_SAMPLE}, alert from lb_samples
      where load_balancer_id = ${id}
        and at >= coalesce((select max(at) from lb_samples where load_balancer_id = ${id} and at < ${from}), ${from})
      order by at limit 1)
    union
    (select distinct on (step) ${COUNTERS_OF_SAMPLE}, worst as alert from steps order by step, at desc)
    order by at`);
}

export async function readCreation(
  db: Queryable,
  where: { readonly id: string; readonly projectId: number; readonly regionId: number },
): Promise<Date | undefined> {
  const [row] = await db.rows<{ created_at: Date }>(
    sql`select created_at from load_balancers where id = ${where.id} and project_id = ${where.projectId} and region_id = ${where.regionId}`,
  );
  return row?.created_at;
}

/** What one load balancer, or one of its listeners, has counted. */
export interface CountedRow extends StatsRow {
  readonly id: string;
  /** Null: the load balancer as a whole. */
  readonly listener_id: string | null;
  readonly project_id: number;
  readonly region_id: number;
  readonly provisioning_status: string;
  readonly operating_status: string;
}

const COUNTERS = ['active_connections', 'bytes_in', 'bytes_out', 'request_errors', 'total_connections'];

/** Counters of every load balancer of these regions and of each of its listeners. */
export async function readCounters(db: Queryable, regionIds: readonly number[]): Promise<CountedRow[]> {
  if (regionIds.length === 0) return [];
  return db.rows<CountedRow>(sql`with counted as (${COUNTED})
     select lb.id, l.id as listener_id, lb.project_id, lb.region_id,
            coalesce(l.provisioning_status, lb.provisioning_status) as provisioning_status,
            coalesce(l.operating_status, lb.operating_status) as operating_status,
            ${raw(COUNTERS.map((name) => `coalesce(sum(c.${name}), 0)::bigint as ${name}`).join(', '))}
       from load_balancers lb
       cross join lateral (
         select null::uuid as id, null::text as provisioning_status, null::text as operating_status
         union all
         select id, provisioning_status, operating_status from lb_listeners where load_balancer_id = lb.id) l
       left join counted c on c.load_balancer_id = lb.id and (l.id is null or c.listener_id = l.id)
      where lb.region_id = any(${regionIds}::int[])
      group by lb.id, l.id, l.provisioning_status, l.operating_status
      order by lb.id, l.id nulls first`);
}
