import type { SubnetRow } from './model.ts';
import type { DesiredSubnet } from './port.ts';

/** What a region is to have of a subnet. */
export const desiredSubnet = (row: SubnetRow): DesiredSubnet => ({
  kind: 'subnet',
  id: row.id,
  networkId: row.network_id,
  cidr: row.cidr,
  gateway: row.gateway_ip,
  enableDhcp: row.enable_dhcp,
  nameServers: row.dns_nameservers ?? [],
  hostRoutes: row.host_routes ?? [],
});
