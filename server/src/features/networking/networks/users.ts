import { Conflict } from '../../../kernel/errors.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { raw, sql } from '../../../platform/database/sql.ts';

/** What has an address in a subnet. */
interface User {
  readonly what: string;
  readonly id: string;
}

const SHOWN = 5;

/** @throws Conflict naming what has an address in one of the subnets */
export async function refuseUsed(tx: Tx, what: string, subnetIds: readonly string[]): Promise<void> {
  if (subnetIds.length === 0) return;
  const users = await tx.rows<User>(sql`select 'load balancer' as what, id from load_balancers
      where vip_subnet_id = any(${subnetIds}::uuid[]) or additional_subnet_id = any(${subnetIds}::uuid[])
     union all
     select replace(p.device_type, '_', ' '), p.device_id from region_addresses a join ports p on p.id = a.owner_id
      where a.subnet_id = any(${subnetIds}::uuid[]) and p.device_type <> 'load_balancer'
        -- A network's own router goes with it.
        and not exists (select from routers r where r.id = p.device_id and r.network_id = p.network_id)
     union all
     select 'reserved fixed IP', port_id from reserved_fixed_ips
      where subnet_id = any(${subnetIds}::uuid[]) or additional_subnet_id = any(${subnetIds}::uuid[])
     union all
     select 'Kubernetes cluster', id from k8s_clusters where fixed_subnet_id = any(${subnetIds}::uuid[])
      order by 1, 2 limit ${raw(String(SHOWN + 1))}`);
  if (users.length === 0) return;
  const names = users.slice(0, SHOWN).map((user) => `${user.what} ${user.id}`);
  const more = users.length > SHOWN ? ' and others' : '';
  throw new Conflict(`${what} is in use by ${names.join(', ')}${more}; delete or detach them first`);
}
