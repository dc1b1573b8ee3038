import type { RegionContext } from '../../platform/http/context.ts';
import { flavorsOffered } from '../flavors/index.ts';
import { type Quota, readQuotas } from '../quotas/index.ts';
import { DEFAULT_VOLUME_GIB, nodeAmounts } from './amounts.ts';

/** What one node of a flavor counts into quotas, with a disk of the usual size. */
const nodeOf = (flavor_id: string) =>
  nodeAmounts(
    {
      flavor_id,
      node_count: 1,
      boot_volume_size: DEFAULT_VOLUME_GIB,
      is_public_ipv4: false,
      servergroup_policy: null,
    },
    1,
  );

/** How many more nodes of each flavor the quotas leave room for, by the flavor's id. */
export async function roomForNodes(ctx: RegionContext): Promise<ReadonlyMap<string, number>> {
  const amounts = flavorsOffered().map(({ id }) => [id, Object.entries(nodeOf(id))] as const);
  const names = [...new Set(amounts.flatMap(([, of]) => of.map(([name]) => name)))];
  const quotas: Readonly<Record<string, Quota>> = await readQuotas(ctx.db, ctx.quota, names as never[]);
  const roomOf = ([name, amount]: readonly [string, number]) => {
    const { limit, usage } = quotas[name] ?? { limit: 0, usage: 0 };
    return Math.floor(Math.max(0, limit - usage) / amount);
  };
  return new Map(amounts.map(([id, of]) => [id, Math.min(...of.map(roomOf))]));
}
