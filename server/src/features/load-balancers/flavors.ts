/** Sizes of load balancers: virtual CPUs and memory in MiB. The first is the default. */
export interface LoadBalancerFlavor {
  readonly name: string;
  readonly vcpus: number;
  readonly ramMiB: number;
}

export const FLAVORS: readonly [LoadBalancerFlavor, ...LoadBalancerFlavor[]] = [
  { name: 'lb1-1-2', vcpus: 1, ramMiB: 2048 },
  { name: 'lb1-2-4', vcpus: 2, ramMiB: 4096 },
  { name: 'lb1-4-8', vcpus: 4, ramMiB: 8192 },
  { name: 'lb1-8-16', vcpus: 8, ramMiB: 16384 },
];

export const DEFAULT_FLAVOR = FLAVORS[0];

const BY_NAME: ReadonlyMap<string, LoadBalancerFlavor> = new Map(
  FLAVORS.map((flavor) => [flavor.name, flavor]),
);

export function flavorNamed(name: string): LoadBalancerFlavor | undefined {
  return BY_NAME.get(name);
}

/** The flavor of a stored name; null, and one that is no longer on offer, is the default. */
export function flavorOf(name: string | null): LoadBalancerFlavor {
  return (name === null ? undefined : BY_NAME.get(name)) ?? DEFAULT_FLAVOR;
}

/** A cloud that one runs oneself has no price list, so prices are hidden. */
export function viewPricedFlavor(flavor: LoadBalancerFlavor) {
  const prices = { currency_code: null, price_per_hour: null, price_per_month: null, price_status: 'hide' };
  return { ...viewFlavor(flavor), ...prices };
}

export function viewFlavor(flavor: LoadBalancerFlavor) {
  return { flavor_id: flavor.name, flavor_name: flavor.name, vcpus: flavor.vcpus, ram: flavor.ramMiB };
}
