import { sql } from '../../../platform/database/sql.ts';
import type { ShownFloatingIp } from './model.ts';
import { ROUTER_OF_FIP } from './store.ts';
import { viewFloatingIp } from './views.ts';

/** A floating IP as a load balancer's row brings it along: times are text in JSON. */
type Carried = Omit<ShownFloatingIp, 'created_at' | 'updated_at'> & {
  readonly created_at: string;
  readonly updated_at: string;
};
export type CarriedFloatingIps = readonly Carried[] | null;

/** A column with the floating IPs of load balancer `lb`; most have none and cost nothing. */
export const FLOATING_IPS_OF_LB = sql`case when lb.assigned_floating then (
    select jsonb_agg(to_jsonb(f) || jsonb_build_object('router_id', (${ROUTER_OF_FIP}))) from floating_ips f where f.load_balancer_id = lb.id) end as floating_ips`;

/** A column with their addresses. */
export const FLOATING_ADDRESSES_OF_LB = sql`coalesce((
    select jsonb_agg(f.floating_ip_address order by f.floating_ip_address) from floating_ips f
     where f.load_balancer_id = lb.id and f.floating_ip_address is not null), '[]') as floating_addresses`;

export function viewCarried(
  carried: CarriedFloatingIps,
  port: { readonly id: string; readonly address: string | null },
  region: string,
) {
  return (carried ?? []).map((row) =>
    viewFloatingIp(
      {
        ...row,
        port_id: port.id,
        fixed_ip_address: port.address,
        created_at: new Date(row.created_at),
        updated_at: new Date(row.updated_at),
      },
      region,
    ),
  );
}
