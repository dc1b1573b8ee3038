import { NotFound } from '../../kernel/errors.ts';
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

export function refuseOfMembers(members: readonly Pick<MemberInput, 'instance_id' | 'subnet_id'>[]): void {
  for (const member of members) {
    refuse('Instance', member.instance_id);
  }
}

function refuse(kind: string, id: string | null | undefined): void {
  if (id) throw new NotFound(`${kind} ${id} was not found`);
}

/** Subnets that members of the body name. */
export function memberSubnets(input: CreateLoadBalancer): string[] {
  const pools = (input.listeners ?? []).flatMap((listener) => listener.pools ?? []);
  return pools.flatMap((pool) => (pool.members ?? []).flatMap(({ subnet_id }) => subnet_id ?? []));
}

/** @throws NotFound when logs shall go to a region that does not exist */
export function refuseUnknownLogRegion(
  logging: LoggingInput | undefined,
  regionIds: readonly number[],
): void {
  const id = logging?.destination_region_id;
  if (id != null && !regionIds.includes(id)) throw new NotFound(`Region ${id} was not found`);
}
