import { sql } from '../../platform/database/sql.ts';
/** SQL of what load balancers have counted: rows of their listeners, also of those that are gone and not yet added up,
 *  and what was added up. Columns: `load_balancer_id`, `listener_id`, and the counters. */
export const COUNTED = sql`select s.load_balancer_id, s.listener_id,
         case when l.id is null then 0 else s.active_connections end as active_connections,
         s.bytes_in, s.bytes_out, s.request_errors, s.total_connections
    from lb_listener_stats s left join lb_listeners l on l.id = s.listener_id
  union all
  select load_balancer_id, null, 0, bytes_in, bytes_out, request_errors, total_connections from lb_ended_stats`;
