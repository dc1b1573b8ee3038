import { parseRange } from '../../../kernel/ip.ts';
import { viewTags } from '../../../platform/http/tags.ts';
import { viewChanges, viewScoped } from '../../../platform/http/views.ts';
import type { NetworkRow, SubnetRow } from './model.ts';

/** What of a network is shown. */
export function viewNetwork(row: NetworkRow, region: string) {
  return viewScoped(row, region, {
    name: row.name,
    type: row.type,
    segmentation_id: row.segmentation_id,
    mtu: row.mtu,
    default: row.external,
    external: row.external,
    shared: row.project_id === null,
    port_security_enabled: true,
    subnets: row.subnet_ids,
    tags: viewTags(row.tags),
    metadata: viewTags(row.tags),
    ...viewChanges(row),
  });
}

/** What of a subnet is shown.
 *  @param projectId of the path: the wire asks for one also where a subnet belongs to none */
export function viewSubnet(row: SubnetRow, region: string, projectId: number) {
  return {
    id: row.id,
    network_id: row.network_id,
    project_id: row.project_id ?? projectId,
    region_id: row.region_id,
    region,
    name: row.name,
    cidr: row.cidr,
    ip_version: parseRange(row.cidr)?.version ?? 4,
    gateway_ip: row.gateway_ip,
    enable_dhcp: row.enable_dhcp,
    dns_nameservers: row.dns_nameservers ?? [],
    host_routes: (row.host_routes ?? []).map(({ destination, nexthop }) => ({ destination, nexthop })),
    // Always, as the contract has it: clients of the infrastructure tool regard a change of it as a difference.
    has_router: false,
    total_ips: row.total_ips,
    available_ips: row.available_ips,
    tags: viewTags(row.tags),
    metadata: viewTags(row.tags),
    ...viewChanges(row),
  };
}
