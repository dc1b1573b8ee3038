import { Invalid } from '../../kernel/errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { findPlace, WHOLE_REGION } from '../networks/index.ts';
import type { LoadBalancerProvider } from './port.ts';
import type { CreateLoadBalancer } from './schema-input.ts';

/** Where a new load balancer gets its virtual address. */
export interface VipPlace {
  /** null: the region's own subnet. */
  readonly vip_subnet_id: string | null;
  /** Where the address is unique: the whole region, or the network that has its addresses to itself. */
  readonly vip_space: string;
}

const REGION_OWN: VipPlace = { vip_subnet_id: null, vip_space: WHOLE_REGION };

/** @throws NotFound, Conflict when a task holds the subnet, Invalid for one that load balancers cannot use */
export async function findVipPlace(
  tx: Tx,
  ctx: RegionContext,
  input: CreateLoadBalancer,
  provider: LoadBalancerProvider | undefined,
): Promise<VipPlace> {
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
