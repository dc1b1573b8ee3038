import { Faults } from '../../../kernel/faults.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import type { Prices } from '../../../platform/prices/prices.ts';
import { flavorsOffered, viewFlavor, viewPricedFlavor } from '../../flavors/index.ts';
import { type Amounts, exceededQuotas, sumOf } from '../../quotas/index.ts';
import { flavorsIn, type InstanceDeps, requireInstanceProvider } from '../access.ts';
import { instanceAmounts } from '../model.ts';
import { knownFlavor } from '../new-instance.ts';
import { readInstance } from '../store.ts';
import type { AvailableFlavors, CheckInstanceLimits } from './schema.ts';
import { readRamOfImages, readRamOfInstance } from './store.ts';

/** The sizes that an instance may get: all others that suffice for its image.
 *  @throws NotFound */
export async function flavorsForInstance(
  deps: InstanceDeps,
  ctx: RegionContext,
  id: string,
  withPrices: boolean,
) {
  requireInstanceProvider(deps, ctx);
  const row = await readInstance(ctx.db, id, ctx.scope);
  const ram = await readRamOfInstance(ctx.db, id);
  return listed(
    flavorsOffered(flavorsIn(deps, ctx)).filter((flavor) => flavor.id !== row.flavor.id && flavor.ram >= ram),
    withPrices ? deps.prices : undefined,
  );
}

/** The sizes that suffice for an instance with these volumes.
 *  @throws Invalid naming every image or volume that is not there */
export async function flavorsForVolumes(
  deps: InstanceDeps,
  ctx: RegionContext,
  { volumes }: AvailableFlavors,
  withPrices: boolean,
) {
  requireInstanceProvider(deps, ctx);
  const faults = new Faults();
  const needs = await readRamOfImages(ctx.db, {
    ...ctx.scope,
    imageIds: volumes.flatMap((volume) => (volume.source === 'image' ? (volume.image_id ?? []) : [])),
    volumeIds: volumes.flatMap((volume) =>
      volume.source === 'existing-volume' ? (volume.volume_id ?? []) : [],
    ),
  });
  const rams = volumes.map((volume, index) => {
    if (volume.source === 'new-volume') return 0;
    const field = volume.source === 'existing-volume' ? 'volume_id' : (`${volume.source}_id` as const);
    const id = volume[field] ?? null;
    const ram = id === null ? undefined : needs.get(id.toLowerCase());
    const fault = id === null ? `is required for source ${volume.source}` : `${id} was not found`;
    if (ram === undefined) faults.add(`volumes.${index}.${field}`, fault);
    return ram ?? 0;
  });
  faults.refuse();
  return listed(
    flavorsOffered(flavorsIn(deps, ctx)).filter(({ ram }) => ram >= Math.max(...rams)),
    withPrices ? deps.prices : undefined,
  );
}

function listed(flavors: ReturnType<typeof flavorsOffered>, prices: Prices | undefined) {
  return { count: flavors.length, results: flavors.map(prices ? viewPricedFlavor(prices) : viewFlavor) };
}

/** Limit, usage and request of every quota that would not suffice for these instances; nothing is reserved.
 *  @throws Invalid for an unknown flavor */
export async function checkInstanceLimits(
  deps: InstanceDeps,
  ctx: RegionContext,
  input: CheckInstanceLimits,
) {
  const count = Math.max(1, (input.names ?? []).length + (input.name_templates ?? []).length);
  const one = amountsOf(input, flavorsIn(deps, ctx));
  const all = Object.entries(one).map(([name, amount]) => [name, amount * count]);
  return exceededQuotas(ctx.db, ctx.quota, Object.fromEntries(all));
}

function amountsOf(
  { flavor: flavorId, volumes = [], interfaces = [] }: CheckInstanceLimits,
  offered: readonly string[] | undefined,
): Amounts {
  const faults = new Faults();
  const flavor = flavorId === undefined ? undefined : knownFlavor(flavorId, 'flavor', faults, offered);
  faults.refuse();
  const made = volumes.filter(({ source }) => source !== 'existing-volume');
  const external = interfaces.filter(({ type }) => type === 'external');
  return sumOf([
    flavor ? instanceAmounts(flavor) : { vm_count: 1 },
    {
      volume_count: made.length,
      volume_size: made.reduce((sum, { size }) => sum + (size ?? 0), 0),
      external_ip_count: external.reduce((sum, { ip_family }) => sum + (ip_family === 'dual' ? 2 : 1), 0),
      floating_count: interfaces.filter(({ floating_ip }) => floating_ip?.source === 'new').length,
    },
  ]);
}
