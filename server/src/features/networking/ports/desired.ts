import { macAddressOf } from '../../../kernel/mac.ts';
import type { DesiredPort } from '../networks/index.ts';
import type { PortRow } from './model.ts';

/** What a region is to have of a port. */
export const desiredPort = (row: PortRow): DesiredPort => ({
  kind: 'port',
  id: row.id,
  networkId: row.network_id,
  macAddress: macAddressOf(row.id),
  addresses: row.ip_assignments.map(({ ip_address: address, subnet_id: subnetId }) => ({
    address,
    subnetId,
  })),
  isManaged: row.device_type === 'load_balancer' || row.device_type === 'router',
  securityEnabled: row.port_security_enabled,
  securityGroupIds: row.security_group_ids,
  allowedAddresses: row.allowed_address_pairs.map(({ ip_address }) => ip_address),
});
