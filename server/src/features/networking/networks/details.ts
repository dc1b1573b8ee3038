import { Type } from '@sinclair/typebox';
import type { RegionContext } from '../../../platform/http/context.ts';
import { Network } from './schema.ts';
import { readNetworks } from './store.ts';
import { Subnet } from './subnets/schema.ts';
import { readSubnets, readSubnetsOf } from './subnets/store.ts';
import { viewNetwork, viewSubnet } from './views.ts';

/** A network with its subnets in full. */
export const NetworkDetails = Type.Object(
  { ...Network.properties, subnets: Type.Array(Subnet) },
  { $id: 'NetworkDetails' },
);

type Details = Omit<ReturnType<typeof viewNetwork>, 'subnets'> & {
  readonly subnets: ReturnType<typeof viewSubnet>[];
};

/** Those of these networks that exist, with their subnets, oldest first. */
export async function readNetworkDetails(
  ctx: RegionContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Details>> {
  const [networks, subnets] = await Promise.all([readNetworks(ctx.db, ids), readSubnetsOf(ctx.db, ids)]);
  const { region, project } = ctx;
  return new Map(
    networks.map((network) => {
      const own = subnets.filter(({ network_id }) => network_id === network.id);
      const views = own.map((subnet) => viewSubnet(subnet, region.name, project.id));
      return [network.id, { ...viewNetwork(network, region.name), subnets: views }];
    }),
  );
}

/** Those of these subnets that exist, by id, as they are shown. */
export async function readSubnetViews(
  ctx: RegionContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ReturnType<typeof viewSubnet>>> {
  const rows = await readSubnets(ctx.db, ids);
  return new Map(rows.map((row) => [row.id, viewSubnet(row, ctx.region.name, ctx.project.id)]));
}
