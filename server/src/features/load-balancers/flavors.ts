import type { Prices } from '../../platform/prices/prices.ts';

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

/** Prices are hidden where the operator has no price list. */
export const viewPricedFlavor = (prices: Prices) => (flavor: LoadBalancerFlavor) => ({
  ...viewFlavor(flavor),
  ...prices.shown({ kind: 'load_balancer', flavor: flavor.name }),
});

export function viewFlavor(flavor: LoadBalancerFlavor) {
  return { flavor_id: flavor.name, flavor_name: flavor.name, vcpus: flavor.vcpus, ram: flavor.ramMiB };
}
