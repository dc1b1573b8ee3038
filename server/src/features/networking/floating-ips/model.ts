import type { Transitions } from '../../../kernel/transitions.ts';
import { CHANGE_COLUMNS, type RowOf, SCOPE_COLUMNS } from '../../../platform/database/rows.ts';
import type { StoredTags } from '../../../platform/http/tags.ts';
import type { PortRow } from '../ports/index.ts';

export type FloatingIpStatus = 'ACTIVE' | 'DOWN';

/** The database works it out: ACTIVE is one that leads to a port. */
export const FLOATING_IP_TRANSITIONS: Transitions<FloatingIpStatus> = { DOWN: ['ACTIVE'], ACTIVE: ['DOWN'] };

export const COLUMNS = [
  ...SCOPE_COLUMNS,
  'client_id',
  'floating_ip_address',
  'port_id',
  'fixed_ip_address',
  'load_balancer_id',
  'status',
  'tags',
  ...CHANGE_COLUMNS,
] as const;

/** It leads to `fixed_ip_address` of its port; null: the first. `load_balancer_id` is the load balancer that has this
 *  port, whose data plane serves the floating IP. */
export type FloatingIpRow = RowOf<
  'floating_ips',
  typeof COLUMNS,
  { status: FloatingIpStatus; tags: StoredTags }
>;

/** As it is shown: `fixed_ip_address` is filled in. */
export interface ShownFloatingIp extends Omit<FloatingIpRow, 'client_id'> {
  readonly router_id: string | null;
}

/** With what has its port. */
export type FloatingIpView = ShownFloatingIp & Pick<PortRow, 'device_type' | 'device_id'>;

/** Where a floating IP leads to. */
export interface Target {
  readonly portId: string;
  /** null: the port's first IPv4 address. */
  readonly address: string | null;
  readonly loadBalancerId: string | null;
}

export function sameTarget(a: Target | null, b: Target | null): boolean {
  return a?.portId === b?.portId && a?.address === b?.address;
}

export function targetOf(row: FloatingIpRow): Target | null {
  const { port_id: portId, fixed_ip_address: address, load_balancer_id: loadBalancerId } = row;
  return portId === null ? null : { portId, address, loadBalancerId };
}
