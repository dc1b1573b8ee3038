import { Invalid, NotFound } from '../../kernel/errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import { requireSubnets } from '../networks/index.ts';
import type { ListenerInput } from './listeners/schema.ts';
import type { MemberInput } from './members/schema.ts';
import type { CreateLoadBalancer, LoggingInput } from './schema-input.ts';

/** Resources of other kinds that a body may name. Instances are none of this cloud's yet,
 *  so that none of them can be found.
 *  @throws NotFound for the first one */
export function refuseUnknownReferences(input: CreateLoadBalancer): void {
  for (const listener of input.listeners ?? []) refuseOfListener(listener);
}

function refuseOfListener(listener: ListenerInput): void {
  for (const pool of listener.pools ?? []) refuseOfMembers(pool.members ?? []);
}

function refuseOfMembers(members: readonly References[]): void {
  for (const member of members) refuse('Instance', member.instance_id);
}

type References = Pick<MemberInput, 'instance_id' | 'subnet_id'>;

/** Makes sure that what new members name is there.
 *  @throws NotFound for the first that is not */
export async function requireOfMembers(
  tx: Tx,
  members: readonly References[],
  place: { readonly projectId: number; readonly regionId: number },
): Promise<void> {
  refuseOfMembers(members);
  await requireSubnets(tx, members.flatMap(subnetOf), place);
}

const subnetOf = ({ subnet_id }: References): string[] => (subnet_id ? [subnet_id] : []);

function refuse(kind: string, id: string | null | undefined): void {
  if (id) throw new NotFound(`${kind} ${id} was not found`);
}

/** Subnets that members of the body name. */
export function memberSubnets(input: CreateLoadBalancer): string[] {
  const pools = (input.listeners ?? []).flatMap((listener) => listener.pools ?? []);
  return pools.flatMap((pool) => (pool.members ?? []).flatMap(subnetOf));
}

/** @throws Invalid when logs shall go to a region that does not exist */
export function refuseUnknownLogRegion(
  logging: LoggingInput | undefined,
  regionIds: readonly number[],
): void {
  const id = logging?.destination_region_id;
  if (id != null && !regionIds.includes(id)) {
    throw new Invalid({ 'logging.destination_region_id': [`there is no region ${id}`] });
  }
}
