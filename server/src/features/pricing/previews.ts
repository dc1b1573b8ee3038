import { NotFound } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { type ItemPrice, monthly, type Priced, type Prices, rounded } from '../../platform/prices/prices.ts';
import { checkCluster, checkInstances, checkLoadBalancer, checkVolume } from './rules.ts';
import type {
  PriceCluster,
  PriceFloatingIps,
  PriceImage,
  PriceInstances,
  PriceLoadBalancer,
  PriceLoadBalancerWithAddresses,
  PriceSnapshot,
  PriceVolume,
} from './schema.ts';
import * as store from './store.ts';

/** The type of a volume for which none is named. */
const DEFAULT_TYPE = 'standard';

/** What creations would cost, and what there is costs, an hour and a month. */
export class Previews {
  readonly #prices: Prices;

  constructor(prices: Prices) {
    this.#prices = prices;
  }

  floatingIps({ count }: PriceFloatingIps): ItemPrice {
    return this.#prices.item(this.#times({ kind: 'floatingip' }, count));
  }

  image({ size }: PriceImage): ItemPrice {
    return this.#itemOf([{ kind: 'image', gib: size }]);
  }

  /** An address of the internet; one of a network of the project's own costs nothing. */
  reservedFixedIp({ type }: { readonly type: string }): ItemPrice {
    return this.#itemOf(type === 'external' ? [{ kind: 'external_ip' }] : []);
  }

  /** @throws NotFound for an unknown volume */
  async snapshot(ctx: RegionContext, { volume_id: id }: PriceSnapshot): Promise<ItemPrice> {
    const volume = await store.readVolume(ctx.db, ctx.scope, id);
    if (!volume) throw new NotFound(`Volume ${id} was not found`);
    return this.#itemOf([{ kind: 'snapshot', gib: volume.size }]);
  }

  /** @throws Invalid for an unknown snapshot */
  async volume(ctx: RegionContext, input: PriceVolume): Promise<ItemPrice> {
    const faults = new Faults();
    checkVolume(input, faults);
    const volumes = await pricedVolumes(ctx, [input], () => '', faults);
    faults.refuse();
    return this.#itemOf(volumes);
  }

  /** @throws Invalid for unknown snapshots */
  async instances(ctx: RegionContext, input: PriceInstances) {
    const faults = new Faults();
    checkInstances(input, faults);
    const volumes = await pricedVolumes(ctx, input.volumes ?? [], (i) => `volumes.${i}.`, faults);
    faults.refuse();
    const count = Math.max(input.names?.length ?? 0, input.name_templates?.length ?? 0, 1);
    const news = input.interfaces.filter(({ floating_ip }) => floating_ip?.source === 'new');
    const external = input.interfaces.filter(({ type }) => type === 'external');
    const parts = {
      flavor: this.#times({ kind: 'instance', flavor: input.flavor }, count),
      external_ip: this.#times({ kind: 'external_ip' }, external.length * count),
      floating_ip: this.#times({ kind: 'floatingip' }, news.length * count),
    };
    const byType = volumes.map(({ type }) => type);
    const rates = [...new Set(byType)].map((type) => {
      const same = volumes.filter((each) => each.type === type);
      const perHour = this.#prices.total(same.map((each) => this.#times(each, count)));
      return [type, perHour] as const;
    });
    const total = this.#prices.total([...Object.values(parts), ...rates.map(([, perHour]) => perHour)]);
    const shown = (amount: (perHour: number | null) => number | null) => ({
      ...mapped(parts, amount),
      volumes:
        total === null ? null : Object.fromEntries(rates.map(([type, each]) => [type, amount(each) ?? 0])),
    });
    return {
      currency_code: this.#prices.currency,
      per_hour: shown(rounded),
      per_month: shown(monthly),
      per_gb: null,
      total_price_per_hour: rounded(total),
      total_price_per_month: monthly(total),
      price_without_discount_per_month: monthly(total),
      discount_percent: '0',
      discount_details: [],
      tax_percent: this.#prices.taxPercent,
      price_status: this.#prices.statusOf(total),
      vm_count: count,
    };
  }

  /** What an instance costs with its volumes and addresses.
   *  @throws NotFound */
  async instance(ctx: RegionContext, id: string): Promise<ItemPrice> {
    const found = await store.readInstance(ctx.db, ctx.scope, id);
    if (!found) throw new NotFound(`Instance ${id} was not found`);
    return this.#prices.item(
      this.#prices.total([
        this.#prices.perHour({ kind: 'instance', flavor: found.flavor }),
        ...found.volumes.map(({ size: gib, type }) => this.#prices.perHour({ kind: 'volume', type, gib })),
        this.#times({ kind: 'floatingip' }, found.floating_ips),
        this.#times({ kind: 'external_ip' }, found.external_ips),
      ]),
    );
  }

  /** @throws Invalid for an unknown flavor */
  loadBalancer(input: PriceLoadBalancer): ItemPrice {
    refuseFaults(checkLoadBalancer, input);
    return this.#itemOf([{ kind: 'load_balancer', flavor: input.flavor }]);
  }

  /** @throws Invalid for an unknown flavor */
  loadBalancerWithAddresses(input: PriceLoadBalancerWithAddresses) {
    refuseFaults(checkLoadBalancer, input);
    const isInside = Boolean(input.vip_network_id || input.vip_subnet_id || input.vip_port_id);
    const parts = {
      flavor: this.#prices.perHour({ kind: 'load_balancer', flavor: input.flavor }),
      external_ip: this.#times({ kind: 'external_ip' }, isInside ? 0 : 1),
      floating_ip: this.#times({ kind: 'floatingip' }, input.floating_ip?.source === 'new' ? 1 : 0),
    };
    const total = this.#prices.total(Object.values(parts));
    return {
      currency_code: this.#prices.currency,
      per_hour: mapped(parts, rounded),
      per_month: mapped(parts, monthly),
      total_price_per_hour: rounded(total),
      total_price_per_month: monthly(total),
      price_without_discount_per_month: monthly(total),
      discount_percent: total === null ? null : 0,
      tax_percent: this.#prices.taxPercent,
      price_status: this.#prices.statusOf(total),
    };
  }

  /** Nodes, their volumes and their addresses; the control plane costs nothing.
   *  @throws Invalid for an unknown flavor */
  newCluster(input: PriceCluster) {
    refuseFaults(checkCluster, input);
    const { pools } = input;
    return this.#cluster(
      pools.map((pool) => ({
        flavor_id: pool.flavor_id,
        node_count: pool.node_count ?? 1,
        boot_volume_size: pool.boot_volume_size ?? 0,
        boot_volume_type: pool.boot_volume_type ?? DEFAULT_TYPE,
        is_public_ipv4: pool.is_public_ipv4 ?? false,
      })),
    );
  }

  /** @throws NotFound */
  async cluster(ctx: RegionContext, name: string) {
    const pools = await store.readPools(ctx.db, ctx.scope, name);
    if (pools.length === 0) throw new NotFound(`Cluster ${name} was not found`);
    return this.#cluster(pools);
  }

  #cluster(pools: readonly store.PoolParts[]) {
    const nodes = pools.map((pool) =>
      this.#times({ kind: 'instance', flavor: pool.flavor_id }, pool.node_count),
    );
    const volumes = pools.map(({ boot_volume_size: gib, boot_volume_type: type, node_count: count }) =>
      gib === 0 ? this.#prices.total([]) : this.#times({ kind: 'volume', type, gib }, count),
    );
    const addresses = pools.map(({ is_public_ipv4, node_count: count }) =>
      this.#times({ kind: 'external_ip' }, is_public_ipv4 ? count : 0),
    );
    const items = (amounts: readonly (number | null)[]) => amounts.map((each) => this.#prices.item(each));
    return {
      instances: items(nodes),
      volumes: items(volumes),
      publicips: items(addresses),
      total_price: this.#prices.item(this.#prices.total([...nodes, ...volumes, ...addresses])),
    };
  }

  #itemOf(all: readonly Priced[]): ItemPrice {
    return this.#prices.item(this.#prices.sum(all));
  }

  /** So many of the same; of none the price need not be known. */
  #times(priced: Priced, count: number): number | null {
    if (count === 0) return this.#prices.total([]);
    const one = this.#prices.perHour(priced);
    return one === null ? null : one * count;
  }
}

const mapped = <K extends string>(
  parts: Readonly<Record<K, number | null>>,
  amount: (perHour: number | null) => number | null,
) =>
  Object.fromEntries(
    Object.entries(parts).map(([name, each]) => [name, amount(each as number | null)]),
  ) as Record<K, number | null>;

function refuseFaults<T>(check: (input: T, faults: Faults) => void, input: T): void {
  const faults = new Faults();
  check(input, faults);
  faults.refuse();
}

/** What volumes cost, without those that are there already.
 *  @param at what fields of the volume of an index begin with */
async function pricedVolumes(
  ctx: RegionContext,
  volumes: readonly PriceVolume[],
  at: (index: number) => string,
  faults: Faults,
): Promise<(Priced & { kind: 'volume' })[]> {
  const ids = volumes.flatMap(({ source, snapshot_id: id }) =>
    source === 'snapshot' && id != null ? id : [],
  );
  const sizes = ids.length === 0 ? new Map() : await store.readSnapshotSizes(ctx.db, ctx.scope, ids);
  return volumes.flatMap(({ source, size, type_name, snapshot_id: id }, i) => {
    if (source === 'existing-volume') return [];
    const ofSnapshot = id == null ? undefined : sizes.get(id.toLowerCase());
    if (source === 'snapshot' && id != null && ofSnapshot === undefined)
      faults.add(`${at(i)}snapshot_id`, 'is not the id of a snapshot of this region');
    return [{ kind: 'volume' as const, type: type_name ?? DEFAULT_TYPE, gib: size ?? ofSnapshot ?? 0 }];
  });
}
