import { Conflict } from '../../kernel/errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import { requireFree } from '../../platform/database/held-table.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { type InstanceRow, lockInstance, readAttached } from './instance-store.ts';
import { type Attachment, freeDevices } from './model.ts';

/** States in which volumes can be attached to an instance and detached. */
const WILLING = ['ACTIVE', 'PAUSED', 'SHUTOFF', 'SUSPENDED'];

/** Where an instance that is there puts one more volume. Locks the instance until the transaction ends.
 *  @throws NotFound for the instance, Locked naming the task that holds it, Conflict when it accepts none */
export async function nextAttachment(
  tx: Tx,
  ctx: RegionContext,
  instanceId: string,
  tag: string | undefined,
): Promise<Attachment> {
  requireWilling(await lockInstance(tx, instanceId, ctx.scope));
  const attached = await readAttached(tx, instanceId);
  const [device = null] = freeDevices(new Set(attached.map((volume) => volume.device)), 1);
  return {
    instance_id: instanceId,
    attachment_id: ctx.ids.uuid(),
    device,
    attachment_tag: tag ?? null,
    boot_index: null,
    delete_on_termination: false,
    attached_at: null,
  };
}

function requireWilling({ id, status, cluster_id, task_id }: InstanceRow): void {
  if (cluster_id !== null) {
    throw new Conflict(
      `Instance ${id} is a node of Kubernetes cluster ${cluster_id}, which keeps its volumes`,
    );
  }
  requireFree('Instance', { id, task_id });
  if (!WILLING.includes(status)) {
    throw new Conflict(`Instance ${id} is ${status}; to attach a volume, it must be ${WILLING.join(', ')}`);
  }
}
