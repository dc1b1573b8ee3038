import { Locked } from '../../kernel/errors.ts';
import type { StoredTags } from '../../platform/http/tags.ts';

export interface FloatingIpRow {
  readonly id: string;
  readonly project_id: number;
  readonly region_id: number;
  readonly client_id: number;
  readonly floating_ip_address: string | null;
  readonly load_balancer_id: string | null;
  readonly status: 'ACTIVE' | 'DOWN';
  readonly tags: StoredTags;
  readonly task_id: string | null;
  readonly creator_task_id: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** With the port and address of what carries it. */
export interface FloatingIpView extends Omit<FloatingIpRow, 'client_id'> {
  readonly port_id: string | null;
  readonly fixed_ip_address: string | null;
}

/** @throws Conflict naming the task that holds it */
export function requireFree(row: Pick<FloatingIpRow, 'id' | 'task_id'>): void {
  if (row.task_id === null) return;
  throw new Locked(`Floating IP ${row.id}`, row.task_id);
}
