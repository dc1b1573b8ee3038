import type { DesiredFloatingIp } from '../networks/index.ts';
import type { FloatingIpRow } from './model.ts';

/** What a region is to have of a floating IP. */
export const desiredFloatingIp = (
  row: Pick<
    FloatingIpRow,
    'id' | 'floating_ip_address' | 'port_id' | 'fixed_ip_address' | 'load_balancer_id'
  >,
): DesiredFloatingIp => ({
  kind: 'floating_ip',
  id: row.id,
  address: row.floating_ip_address,
  leadsTo:
    row.load_balancer_id !== null
      ? 'load balancer'
      : row.port_id === null
        ? null
        : { portId: row.port_id, address: row.fixed_ip_address },
});
