import { macAddressOf } from '../../../kernel/mac.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import { viewFloatingIpsOf } from '../../networking/floating-ips/index.ts';
import { readNetworkDetails } from '../../networking/networks/index.ts';
import { type PortRow, readPortsOf } from '../../networking/ports/index.ts';
import { namesOfSecurityGroups } from '../../security-groups/index.ts';

/** The interfaces of an instance, in their order. Nodes of clusters have none of their own. */
export async function viewInterfaces(ctx: RegionContext, instanceId: string) {
  return viewAsInterfaces(ctx, await readPortsOf(ctx.db, 'instance', [instanceId]));
}

/** Ports as interfaces, whatever has them. */
export async function viewAsInterfaces(ctx: RegionContext, ports: readonly PortRow[]) {
  const [networks, floating] = await Promise.all([
    readNetworkDetails(
      ctx,
      ports.map((port) => port.network_id),
    ),
    viewFloatingIpsOf(
      ctx,
      ports.map((port) => port.id),
    ),
  ]);
  return ports.flatMap((port) => {
    const network_details = networks.get(port.network_id);
    if (!network_details) return [];
    return {
      port_id: port.id,
      interface_name: port.interface_name,
      mac_address: macAddressOf(port.id),
      network_id: port.network_id,
      network_details,
      ip_assignments: port.ip_assignments.map(({ ip_address, subnet_id }) => ({ ip_address, subnet_id })),
      floatingip_details: floating.filter(({ port_id }) => port_id === port.id),
      port_security_enabled: port.port_security_enabled,
      allowed_address_pairs: port.allowed_address_pairs.map(({ ip_address }) => ({
        ip_address,
        mac_address: null,
      })),
    };
  });
}

/** The same, as ports with their security groups. */
export async function viewPorts(ctx: RegionContext, instanceId: string) {
  const ports = await readPortsOf(ctx.db, 'instance', [instanceId]);
  const groups = await namesOfSecurityGroups(
    ctx.db,
    ports.flatMap((port) => port.security_group_ids),
  );
  return ports.map((port) => ({
    id: port.id,
    name: port.interface_name ?? '',
    security_groups: groups.filter(({ id }) => port.security_group_ids.includes(id)),
  }));
}
