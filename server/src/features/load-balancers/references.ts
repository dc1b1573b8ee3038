import { NotFound } from '../../kernel/errors.ts';
import type { ListenerInput } from './listeners/schema.ts';
import type { MemberInput } from './members/schema.ts';
import type { PoolInput } from './pools/schema.ts';
import type { CreateLoadBalancer, LoggingInput } from './schema-input.ts';

/** Resources of other kinds that a body may name. Networks, subnets, ports, instances and secrets
 *  are none of this cloud's yet, so that none of them can be found.
 *  @throws NotFound for the first one */
export function refuseUnknownReferences(input: CreateLoadBalancer): void {
  refuse('Port', input.vip_port_id);
  refuse('Network', input.vip_network_id);
  refuse('Subnet', input.vip_subnet_id);
  for (const listener of input.listeners ?? []) refuseOfListener(listener);
}

export function refuseOfListener(
  listener: Pick<ListenerInput, 'secret_id' | 'sni_secret_id' | 'pools'>,
): void {
  refuse('Secret', listener.secret_id);
  for (const id of listener.sni_secret_id ?? []) refuse('Secret', id);
  for (const pool of listener.pools ?? []) refuseOfPool(pool);
}

export function refuseOfPool(
  pool: Pick<PoolInput, 'secret_id' | 'ca_secret_id' | 'crl_secret_id' | 'members'>,
): void {
  refuse('Secret', pool.secret_id);
  refuse('Secret', pool.ca_secret_id);
  refuse('Secret', pool.crl_secret_id);
  for (const member of pool.members ?? []) refuseOfMember(member);
}

export function refuseOfMember(member: Pick<MemberInput, 'instance_id' | 'subnet_id'>): void {
  refuse('Instance', member.instance_id);
  refuse('Subnet', member.subnet_id);
}

function refuse(kind: string, id: string | null | undefined): void {
  if (id) throw new NotFound(`${kind} ${id} was not found`);
}

/** @throws NotFound when logs shall go to a region that does not exist */
export function refuseUnknownLogRegion(
  logging: LoggingInput | undefined,
  regionIds: readonly number[],
): void {
  const id = logging?.destination_region_id;
  if (id != null && !regionIds.includes(id)) throw new NotFound(`Region ${id} was not found`);
}
