import type { Transitions } from '../../../kernel/transitions.ts';
import type { StoredTags } from '../../../platform/http/tags.ts';
import type { DeviceType } from '../ports/index.ts';

export type FloatingIpStatus = 'ACTIVE' | 'DOWN';

/** The database works it out: ACTIVE is one that leads to a port. */
export const FLOATING_IP_TRANSITIONS: Transitions<FloatingIpStatus> = { DOWN: ['ACTIVE'], ACTIVE: ['DOWN'] };

export interface FloatingIpRow {
  readonly id: string;
  readonly project_id: number;
  readonly region_id: number;
  readonly client_id: number;
  readonly floating_ip_address: string | null;
  /** Where it leads to. */
  readonly port_id: string | null;
  /** The address of the port that it stands for; null: the first. */
  readonly fixed_ip_address: string | null;
  /** The load balancer that has this port; its data plane serves the floating IP. */
  readonly load_balancer_id: string | null;
  readonly status: FloatingIpStatus;
  readonly tags: StoredTags;
  readonly task_id: string | null;
  readonly creator_task_id: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** As it is shown: `fixed_ip_address` is filled in. */
export interface ShownFloatingIp extends Omit<FloatingIpRow, 'client_id'> {
  readonly router_id: string | null;
}

/** With what has its port. */
export interface FloatingIpView extends ShownFloatingIp {
  readonly device_type: DeviceType | null;
  readonly device_id: string | null;
}

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
