import type { RegionContext } from '../../platform/http/context.ts';
import type { SubnetRow } from './model.ts';
import { readNetworks } from './store.ts';
import { SUBNET_COLUMNS } from './subnets/store.ts';
import { viewNetwork, viewSubnet } from './views.ts';

/** These networks by id, each with its subnets as they are shown, oldest first. */
export async function viewNetworksInDetail(ctx: RegionContext, ids: readonly string[]) {
  const networks = await readNetworks(ctx.db, ids);
  const subnets = await ctx.db.named<SubnetRow>(
    'subnets_of_networks',
    `select ${SUBNET_COLUMNS} from subnets s where s.network_id = any($1::uuid[]) order by s.created_at, s.id`,
    [networks.map(({ id }) => id)],
  );
  const views = networks.map((network) => {
    const own = subnets.filter(({ network_id }) => network_id === network.id);
    const detail = own.map((subnet) => viewSubnet(subnet, ctx.region.name, ctx.project.id));
    return [network.id, { ...viewNetwork(network, ctx.region.name), subnets: detail }] as const;
  });
  return new Map(views);
}
