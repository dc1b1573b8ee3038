import { Invalid } from '../../kernel/errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { findPlace, WHOLE_REGION } from '../networks/index.ts';
import { takeReservedIp } from '../reserved-fixed-ips/index.ts';
import type { LoadBalancerProvider } from './port.ts';
import type { CreateLoadBalancer } from './schema-input.ts';

/** Where a new load balancer gets its virtual address. */
export interface VipPlace {
  /** null: the region's own subnet. */
  readonly vip_subnet_id: string | null;
  /** Where the address is unique: the whole region, or the network that has its addresses to itself. */
  readonly vip_space: string;
  /** Given when the address is a reserved one. */
  readonly vip_port_id?: string;
}

const REGION_OWN: VipPlace = { vip_subnet_id: null, vip_space: WHOLE_REGION };

/** @throws NotFound, Conflict when a task holds the subnet, Invalid for one that load balancers cannot use */
export async function findVipPlace(
  tx: Tx,
  ctx: RegionContext,
  input: CreateLoadBalancer,
  provider: LoadBalancerProvider | undefined,
): Promise<VipPlace> {
  if (input.vip_port_id !== undefined) return reservedPlace(tx, ctx, input, input.vip_port_id, provider);
  const { vip_network_id: networkId, vip_subnet_id: subnetId, vip_ip_family: family } = input;
  if (networkId === undefined && subnetId === undefined && (family ?? 'ipv4') === 'ipv4') return REGION_OWN;
  const version = family === undefined ? undefined : family === 'ipv6' ? 6 : 4;
  const scope = { projectId: ctx.project.id, regionId: ctx.region.id };
  const field =
    subnetId !== undefined ? 'vip_subnet_id' : networkId !== undefined ? 'vip_network_id' : 'vip_ip_family';
  const place = await findPlace(tx, { ...scope, networkId, subnetId, version }, field);
  if (place.network.external) return REGION_OWN;
  const fault = provider?.subnetFault?.(place.cidr) ?? null;
  if (fault !== null) throw new Invalid({ [field]: [fault] });
  const vip_space = provider?.separateNetworks ? place.network.id : WHOLE_REGION;
  return { vip_subnet_id: place.subnetId, vip_space };
}

async function reservedPlace(
  tx: Tx,
  ctx: RegionContext,
  { vip_ip_family: family }: CreateLoadBalancer,
  id: string,
  provider: LoadBalancerProvider | undefined,
): Promise<VipPlace> {
  const scope = { projectId: ctx.project.id, regionId: ctx.region.id };
  const taken = await takeReservedIp(tx, { id, ...scope });
  const its = taken.address.includes(':') ? 'ipv6' : 'ipv4';
  if (family !== undefined && family !== its) {
    throw new Invalid({ vip_ip_family: [`${taken.address} of port ${id} is ${its}`] });
  }
  const fault = taken.subnetId === null ? null : (provider?.subnetFault?.(taken.cidr) ?? null);
  if (fault !== null) throw new Invalid({ vip_port_id: [fault] });
  return { vip_port_id: id, vip_subnet_id: taken.subnetId, vip_space: taken.space };
}
