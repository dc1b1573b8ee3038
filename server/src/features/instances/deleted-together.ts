import { Faults } from '../../kernel/faults.ts';
import { isUuid } from '../../kernel/ids.ts';
import type { Tx } from '../../platform/database/db.ts';
import { holdFloatingIpsOf } from '../networking/floating-ips/index.ts';
import { lockPortsOf } from '../networking/ports/index.ts';
import { holdReservedIps } from '../networking/reserved-fixed-ips/index.ts';
import { deviceOf, type InstanceDeps } from './access.ts';
import type { DeleteInstanceQuery } from './schema.ts';

/** What goes together with an instance: ids that the query of its deletion names. */
export interface DeletedTogether {
  readonly volumes: readonly string[];
  readonly floatings: readonly string[] | 'all';
  /** Ports of reserved fixed IPs. */
  readonly reservedIps: readonly string[];
}

/** What the task that deletes an instance gets. */
export interface DeleteInput {
  /** Floating IPs that are deleted; the others are unassigned. */
  readonly floatings: readonly string[];
}

/** @throws Invalid naming every faulty parameter */
export function deletedTogetherOf(query: DeleteInstanceQuery): DeletedTogether {
  const faults = new Faults();
  if (query.delete_floatings && query.floatings !== undefined) {
    faults.add('floatings', 'cannot be given beside delete_floatings');
  }
  const ids = (field: 'volumes' | 'floatings' | 'reserved_fixed_ips') => {
    const found = (query[field] ?? '').split(',').flatMap((text) => text.trim().toLowerCase() || []);
    for (const id of found) if (!isUuid(id)) faults.add(field, `${id} is not a UUID`);
    return found;
  };
  const floatings = ids('floatings');
  const named: DeletedTogether = {
    volumes: ids('volumes'),
    floatings: query.delete_floatings ? 'all' : floatings,
    reservedIps: ids('reserved_fixed_ips'),
  };
  faults.refuse('query');
  return named;
}

/** Gives everything of a locked instance to the task that deletes it.
 *  @throws Invalid naming what it does not have, Locked when another task holds something of it */
export async function holdDeletedTogether(
  tx: Tx,
  { volumes }: InstanceDeps,
  instanceId: string,
  named: DeletedTogether,
  taskId: string,
): Promise<DeleteInput> {
  const faults = new Faults();
  const ports = await lockPortsOf(tx, deviceOf(instanceId));
  const reserved = ports.filter((port) => port.reserved).map(({ id }) => id);
  refuseForeign(faults, 'reserved_fixed_ips', named.reservedIps, reserved);
  const portIds = ports.map(({ id }) => id);
  const floating = (await holdFloatingIpsOf(tx, portIds, taskId)).map(({ id }) => id);
  const floatings = named.floatings === 'all' ? floating : named.floatings;
  refuseForeign(faults, 'floatings', floatings, floating);
  const foreign = await volumes.holdForDeletion(tx, { instanceId, taskId, named: named.volumes });
  refuseForeign(faults, 'volumes', foreign, []);
  faults.refuse('query');
  await holdReservedIps(tx, named.reservedIps, taskId);
  return { floatings };
}

function refuseForeign(
  faults: Faults,
  field: string,
  named: readonly string[],
  own: readonly string[],
): void {
  for (const id of named) if (!own.includes(id)) faults.add(field, `the instance does not have ${id}`);
}
