import type { Faults } from '../../kernel/faults.ts';
import type { Tx } from '../../platform/database/db.ts';
import { requireInstances } from '../instances/index.ts';
import { requireSubnets } from '../networking/networks/index.ts';
import { checkRegion } from '../regions/index.ts';
import type { MemberInput } from './members/schema.ts';
import type { CreateLoadBalancer, LoggingInput } from './schema.ts';

type References = Pick<MemberInput, 'instance_id' | 'subnet_id'>;

/** Makes sure that what new members name is there.
 *  @throws NotFound for the first that is not */
export async function requireOfMembers(
  tx: Tx,
  members: readonly References[],
  scope: { readonly projectId: number; readonly regionId: number },
): Promise<void> {
  await requireInstances(
    tx,
    members.flatMap(({ instance_id }) => instance_id ?? []),
    scope,
  );
  await requireSubnets(
    tx,
    members.flatMap(({ subnet_id }) => subnet_id ?? []),
    scope,
  );
}

/** The members that the body names. */
export function membersOf(input: CreateLoadBalancer): MemberInput[] {
  const pools = (input.listeners ?? []).flatMap((listener) => listener.pools ?? []);
  return pools.flatMap((pool) => pool.members ?? []);
}

/** Adds a fault when logs shall go to a region that does not exist. */
export function checkLogRegion(
  logging: LoggingInput | undefined,
  regionIds: readonly number[],
  faults: Faults,
): void {
  const id = logging?.destination_region_id;
  if (id != null) checkRegion(id, regionIds, 'logging.destination_region_id', faults);
}
