import { macAddressOf } from '../../../kernel/mac.ts';
import { viewChanges, viewScoped } from '../../../platform/http/views.ts';
import type { RouterRow } from './model.ts';

/** What of a router is shown. */
export function viewRouter(row: RouterRow, region: string) {
  return viewScoped(row, region, {
    name: row.name,
    status: 'ACTIVE',
    distributed: false,
    external_gateway_info: row.gateway && {
      network_id: row.gateway.network_id,
      enable_snat: row.enable_snat,
      external_fixed_ips: row.gateway.ip_assignments.map(({ ip_address, subnet_id }) => ({
        ip_address,
        subnet_id,
      })),
    },
    interfaces: row.interfaces.map(({ port_id, network_id, ip_assignments }) => ({
      port_id,
      network_id,
      mac_address: macAddressOf(port_id),
      ip_assignments: ip_assignments.map(({ ip_address, subnet_id }) => ({ ip_address, subnet_id })),
    })),
    routes: row.routes.map(({ destination, nexthop }) => ({ destination, nexthop })),
    ...viewChanges(row),
  });
}
