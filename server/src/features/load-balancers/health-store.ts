import type { Queryable } from '../../platform/database/db.ts';
import { join, raw, sql } from '../../platform/database/sql.ts';
import type { OperatingStatus } from './model.ts';
import { ALL_KINDS } from './parts/kinds.ts';
import { type PartStatus, seenOf } from './parts/store.ts';
import type { ListenerStats } from './port.ts';

/** What was seen of one load balancer, at the version that it had then. */
export interface Sighting {
  readonly id: string;
  readonly version: number;
  readonly status: OperatingStatus;
  readonly parts: readonly PartStatus[];
  readonly stats: readonly (ListenerStats & { readonly id: string })[];
}

/** Writes what was seen, all of it in one statement. What a task has changed meanwhile stays as it is. */
export async function writeSightings(db: Queryable, sightings: readonly Sighting[]): Promise<void> {
  const parts = sightings.flatMap((seen) => seen.parts.map((part) => ({ ...part, lb: seen.id })));
  const stats = sightings.flatMap((seen) => seen.stats.map((row) => ({ ...row, lb: seen.id })));
  const heads = sightings.map(({ id, version, status }) => ({ id, version, status }));
  await db.run(sql`
  with current as (
    select lb.id, lb.operating_status, r.status
      from jsonb_to_recordset(${JSON.stringify(heads)}::jsonb) as r (id uuid, version bigint, status text)
      join load_balancers lb on lb.id = r.id and lb.version = r.version
       and lb.provisioning_status in ('ACTIVE', 'ERROR')
  ), given as (
    select r.* from jsonb_to_recordset(${JSON.stringify(parts)}::jsonb) as r (lb uuid, kind text, id uuid, status text, "lastCheck" jsonb)
      join current c on c.id = r.lb
  ), stats as (
    insert into lb_listener_stats as s (listener_id, load_balancer_id, active_connections, bytes_in, bytes_out,
      request_errors, total_connections)
    select l.id, l.load_balancer_id, r."activeConnections", r."bytesIn", r."bytesOut", r."requestErrors",
           r."totalConnections"
      from jsonb_to_recordset(${JSON.stringify(stats)}::jsonb) as r (lb uuid, id uuid, "activeConnections" bigint, "bytesIn" bigint,
        "bytesOut" bigint, "requestErrors" bigint, "totalConnections" bigint)
      join lb_listeners l on l.id = r.id and l.load_balancer_id = r.lb
    on conflict (listener_id) do update set active_connections = excluded.active_connections,
      bytes_in = excluded.bytes_in, bytes_out = excluded.bytes_out, request_errors = excluded.request_errors,
      total_connections = excluded.total_connections
    where (s.active_connections, s.bytes_in, s.bytes_out, s.request_errors, s.total_connections) is distinct from
      (excluded.active_connections, excluded.bytes_in, excluded.bytes_out, excluded.request_errors,
       excluded.total_connections)
  )
  ${SEEN_PARTS}
  update load_balancers lb set operating_status = c.status from current c
   where lb.id = c.id and lb.operating_status <> c.status and lb.provisioning_status in ('ACTIVE', 'ERROR')`);
}

const SEEN_PARTS = join(
  ALL_KINDS.map(([kind, { table }]) => {
    const { set, differs } = seenOf(kind);
    return sql`, ${raw(kind)} as (
    update ${raw(table)} t set operating_status = g.status${set} from given g
     where g.kind = ${raw(`'${kind}'`)} and t.id = g.id and t.load_balancer_id = g.lb
       and (t.operating_status <> g.status${differs}))`;
  }),
  '',
);
