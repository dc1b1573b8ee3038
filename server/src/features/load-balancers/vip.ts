import { Invalid } from '../../kernel/errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { type AddressProvider, type RegionAddresses, requireIpv6 } from '../networking/addresses/index.ts';
import {
  type AddressSubnet,
  findSubnets,
  type IpFamily,
  spaceOf,
  WHOLE_REGION,
} from '../networking/networks/index.ts';
import { type ClaimedAddress, claimReservedIp } from '../networking/reserved-fixed-ips/index.ts';
import type { CreateLoadBalancer } from './schema.ts';

/** Where a new load balancer gets its virtual addresses: one, or one of each IP version. */
export interface VipSubnets {
  readonly vip_ip_family: IpFamily;
  /** null: the region's own subnet of IPv4. */
  readonly vip_subnet_id: string | null;
  /** Where the address is unique: the whole region, or the network that has its addresses to itself. */
  readonly vip_space: string;
  /** Of the second address, if there is to be one. */
  readonly additional_subnet_id: string | null;
  readonly additional_space: string | null;
  /** Given when the addresses are reserved ones. */
  readonly vip_port_id?: string;
}

/** One of the addresses, before it is known. */
interface VipSubnet {
  readonly version: 4 | 6;
  readonly isExternal: boolean;
  readonly subnetId: string;
  readonly cidr: string;
  readonly space: string;
}

const REGION_OWN: VipSubnets = {
  vip_ip_family: 'ipv4',
  vip_subnet_id: null,
  vip_space: WHOLE_REGION,
  additional_subnet_id: null,
  additional_space: null,
};

/** @throws NotFound, Conflict when a task holds the subnet, Invalid for one that load balancers cannot use */
export async function findVipSubnets(
  tx: Tx,
  ctx: RegionContext,
  input: CreateLoadBalancer,
  addresses: RegionAddresses,
): Promise<VipSubnets> {
  const {
    vip_port_id: portId,
    vip_network_id: networkId,
    vip_subnet_id: subnetId,
    vip_ip_family: family,
  } = input;
  const named = portId ?? networkId ?? subnetId;
  if (named === undefined && (family ?? 'ipv4') === 'ipv4') return REGION_OWN;
  const field = fieldOf(input);
  const provider = addresses.providerOf(ctx.region.id);
  const subnets =
    portId === undefined
      ? (await findSubnets(tx, { ...ctx.scope, networkId, subnetId, family }, field)).map(
          (subnet) => subnet && newSubnet(subnet, provider),
        )
      : await reservedSubnets(tx, ctx, input, portId);
  const [first, second] = subnets;
  if (second && provider?.dualFault) throw new Invalid({ vip_ip_family: [provider.dualFault] });
  if (!first) throw new Error('there is always a first address');
  for (const subnet of [first, second]) await refuseUnservable(subnet, field, ctx, addresses);
  const vip = {
    vip_ip_family: second ? 'dual' : first.version === 6 ? 'ipv6' : 'ipv4',
    vip_subnet_id: first.isExternal && first.version === 4 ? null : first.subnetId,
    vip_space: first.space,
    additional_subnet_id: second?.subnetId ?? null,
    additional_space: second?.space ?? null,
    ...(portId === undefined ? {} : { vip_port_id: portId }),
  } as const;
  if (input.floating_ip && vip.vip_ip_family === 'ipv6') throw new Invalid({ floating_ip: [NO_IPV4] });
  return vip;
}

/** The address of a load balancer where addresses are computed: known at once, so that its row is not written again
 *  for it. Null: the task finds one. */
export async function allocateAtOnce(
  id: string,
  { vip_port_id, vip_subnet_id, additional_subnet_id }: VipSubnets,
  provider: AddressProvider | undefined,
): Promise<string | null> {
  const named = vip_port_id ?? vip_subnet_id ?? additional_subnet_id;
  if (!provider?.computed || named != null) return null;
  return provider.allocateAddress(new Set(), id);
}

/** Why an IPv6 load balancer cannot have a floating IP. */
export const NO_IPV4 =
  'stands for an IPv4 address, which a load balancer of ipv6 does not have; choose ipv4 or dual';

/** What is at fault when the addresses cannot be had. */
function fieldOf({ vip_port_id, vip_network_id, vip_subnet_id }: CreateLoadBalancer): string {
  if (vip_port_id !== undefined) return 'vip_port_id';
  if (vip_subnet_id !== undefined) return 'vip_subnet_id';
  return vip_network_id === undefined ? 'vip_ip_family' : 'vip_network_id';
}

function newSubnet(subnet: AddressSubnet, provider: AddressProvider | undefined): VipSubnet {
  const { network, subnetId, version, cidr } = subnet;
  return { version, isExternal: network.external, subnetId, cidr, space: spaceOf(subnet, provider) };
}

async function reservedSubnets(
  tx: Tx,
  ctx: RegionContext,
  { vip_ip_family: family }: CreateLoadBalancer,
  id: string,
): Promise<VipSubnet[]> {
  const claimed = (await claimReservedIp(tx, { id, ...ctx.scope })).filter((each) => each !== undefined);
  const its = claimed.length > 1 ? 'dual' : isIpv6(claimed[0]) ? 'ipv6' : 'ipv4';
  if (family !== undefined && family !== its) {
    const addresses = claimed.map(({ address }) => address).join(' and ');
    throw new Invalid({ vip_ip_family: [`port ${id} is ${its}: it has ${addresses}`] });
  }
  return claimed.map((each) => ({ ...each, version: isIpv6(each) ? 6 : 4 }));
}

const isIpv6 = (claimed: ClaimedAddress | undefined) => claimed?.address.includes(':') ?? false;

/** @throws Invalid when load balancers of this region cannot have addresses there, here and now */
async function refuseUnservable(
  subnet: VipSubnet | undefined,
  field: string,
  { region }: RegionContext,
  addresses: RegionAddresses,
): Promise<void> {
  if (!subnet) return;
  const fault = subnet.isExternal
    ? null
    : (addresses.providerOf(region.id)?.subnetFault?.(subnet.cidr) ?? null);
  if (fault !== null) throw new Invalid({ [field]: [fault] });
  if (subnet.version === 6) await requireIpv6(addresses, region, subnet.cidr, field);
}
