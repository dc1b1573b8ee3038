import type { Queryable } from '../../../platform/database/db.ts';
import { viewTags } from '../../../platform/http/tags.ts';
import { viewChanges, viewScoped } from '../../../platform/http/views.ts';
import { readFloatingIpsOfPorts } from './list-store.ts';
import type { ShownFloatingIp } from './model.ts';

/** What of a floating IP is shown. */
export function viewFloatingIp(row: ShownFloatingIp, region: string) {
  return viewScoped(row, region, {
    floating_ip_address: row.floating_ip_address,
    fixed_ip_address: row.fixed_ip_address,
    port_id: row.port_id,
    router_id: row.router_id,
    status: row.status,
    tags: viewTags(row.tags),
    metadata: viewTags(row.tags),
    ...viewChanges(row),
  });
}

/** The floating IPs that lead to these ports, by port, as they are shown. */
export async function floatingIpsOfPorts(
  db: Queryable,
  portIds: readonly string[],
  region: string,
): Promise<ReadonlyMap<string, readonly ReturnType<typeof viewFloatingIp>[]>> {
  const rows = await readFloatingIpsOfPorts(db, portIds);
  return new Map(
    portIds.map((id) => [
      id,
      rows.filter((row) => row.port_id === id).map((row) => viewFloatingIp(row, region)),
    ]),
  );
}
