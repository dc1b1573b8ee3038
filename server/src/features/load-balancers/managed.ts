import type { Queryable } from '../../platform/database/db.ts';
import { sql } from '../../platform/database/sql.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import type { StoredTags } from '../../platform/http/tags.ts';
import { requireRoom } from '../capacity/index.ts';
import type { ListenerService } from './listeners/service.ts';
import type { MemberService } from './members/service.ts';
import type { ListenerRow, LoadBalancerTree, MemberRow } from './model.ts';
import type { PoolService } from './pools/service.ts';
import { type LoadBalancerService, NEEDS } from './service.ts';
import { readTrees } from './tree-store.ts';

/** A listener of a load balancer that another feature makes, with the only pool that it leads to. */
export interface ManagedListener {
  readonly protocol: 'TCP' | 'UDP';
  readonly port: number;
  /** Who may connect; null: everybody. */
  readonly allowedCidrs: readonly string[] | null;
  readonly algorithm: 'ROUND_ROBIN' | 'SOURCE_IP';
  readonly members: readonly { readonly address: string; readonly port: number }[];
  /** Where members say by HTTP whether they want traffic; null: they are connected to. */
  readonly healthPort: number | null;
}

interface Services {
  readonly balancers: LoadBalancerService;
  readonly listeners: ListenerService;
  readonly pools: PoolService;
  readonly members: MemberService;
}

/** Load balancers that another feature makes and keeps as something else says. Read-only tags say whose they are. */
export class ManagedLoadBalancers {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Those that have a read-only tag, by its value. */
  async find(db: Queryable, tag: string): Promise<Map<string, LoadBalancerTree[]>> {
    const rows = await db.rows<{ id: string }>(
      sql`select id from load_balancers where tags ? ${tag} and (tags -> ${tag} ->> 'read_only')::boolean`,
    );
    const found = new Map<string, LoadBalancerTree[]>();
    const trees = await readTrees(
      db,
      rows.map(({ id }) => id),
    );
    for (const tree of trees) {
      const value = tree.tags[tag]?.value ?? '';
      found.set(value, [...(found.get(value) ?? []), tree]);
    }
    return found;
  }

  /** @throws like `LoadBalancerService.create`, Conflict where the region has too little room */
  async create(
    ctx: RegionContext,
    {
      name,
      tags,
      listeners,
    }: {
      readonly name: string;
      readonly tags: Readonly<Record<string, string>>;
      readonly listeners: readonly ManagedListener[];
    },
  ): Promise<void> {
    const fixed: StoredTags = Object.fromEntries(
      Object.entries(tags).map(([key, value]) => [key, { value, read_only: true }]),
    );
    const body = {
      name,
      preferred_connectivity: 'L2' as const,
      listeners: listeners.map((each) => ({ ...listenerOf(each), pools: [poolOf(each)] })),
    };
    const scarce = await requireRoom(ctx.db, ctx.region, NEEDS);
    await this.#services.balancers.create({ ...ctx, scarce }, body, fixed);
  }

  /** Starts the next change that brings it nearer to these listeners.
   *  @returns false when there is nothing to change */
  async converge(
    ctx: RegionContext,
    tree: LoadBalancerTree,
    desired: readonly ManagedListener[],
  ): Promise<boolean> {
    const { listeners, pools, members } = this.#services;
    const surplus = tree.listeners.find((row) => !desired.some((each) => isSame(row, each)));
    if (surplus) {
      await listeners.delete(ctx, surplus.id, surplus.default_pool_id !== null);
      return true;
    }
    for (const each of desired) {
      const row = tree.listeners.find((listener) => isSame(listener, each));
      if (!row) {
        await listeners.create(ctx, { ...listenerOf(each), load_balancer_id: tree.id });
        return true;
      }
      const pool = tree.pools.find(({ id }) => id === row.default_pool_id);
      if (!pool) {
        await pools.create(ctx, { ...poolOf(each), listener_id: row.id });
        return true;
      }
      if (!sameTexts(row.allowed_cidrs, each.allowedCidrs)) {
        await listeners.update(ctx, row.id, { allowed_cidrs: mutable(each.allowedCidrs) });
        return true;
      }
      if (pool.lb_algorithm !== each.algorithm) {
        await pools.update(ctx, pool.id, { lb_algorithm: each.algorithm });
        return true;
      }
      const present = tree.members.filter((member) => member.pool_id === pool.id);
      if (!sameMembers(present, each)) {
        await members.replace(ctx, pool.id, membersOf(each));
        return true;
      }
    }
    return false;
  }

  /** @throws like `LoadBalancerService.delete` */
  async remove(ctx: RegionContext, id: string): Promise<void> {
    await this.#services.balancers.delete(ctx, id);
  }
}

const isSame = (row: ListenerRow, { protocol, port }: ManagedListener): boolean =>
  row.protocol === protocol && row.protocol_port === port;

const nameOf = ({ protocol, port }: ManagedListener): string => `${protocol.toLowerCase()}-${port}`;
const mutable = (texts: readonly string[] | null): string[] | null => texts && [...texts];

const listenerOf = (each: ManagedListener) => ({
  name: nameOf(each),
  protocol: each.protocol,
  protocol_port: each.port,
  allowed_cidrs: mutable(each.allowedCidrs),
  connection_limit: 100_000,
});

const poolOf = (each: ManagedListener) => ({
  name: nameOf(each),
  protocol: each.protocol,
  lb_algorithm: each.algorithm,
  members: membersOf(each),
  healthmonitor: monitorOf(each),
});

const membersOf = ({ members, healthPort }: ManagedListener) =>
  members.map(({ address, port }) => ({
    address,
    protocol_port: port,
    admin_state_up: true,
    backup: false,
    instance_id: null,
    subnet_id: null,
    monitor_address: null,
    monitor_port: healthPort,
  }));

/** UDP says nothing of itself. */
function monitorOf({ protocol, healthPort }: ManagedListener) {
  const pace = { delay: 1, timeout: 1, max_retries: 1, max_retries_down: 2 };
  if (healthPort !== null)
    return { type: 'HTTP' as const, ...pace, url_path: '/healthz', expected_codes: '200' };
  return protocol === 'TCP' ? { type: 'TCP' as const, ...pace } : null;
}

function sameMembers(present: readonly MemberRow[], desired: ManagedListener): boolean {
  const rows = present.map((row) => `${row.address} ${row.protocol_port} ${row.monitor_port ?? ''}`);
  const wish = desired.members.map(({ address, port }) => `${address} ${port} ${desired.healthPort ?? ''}`);
  return sameTexts(rows, wish);
}

const sameTexts = (one: readonly string[] | null, other: readonly string[] | null): boolean =>
  JSON.stringify(one && [...one].sort()) === JSON.stringify(other && [...other].sort());
