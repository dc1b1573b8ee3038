import type { Faults } from '../../../kernel/faults.ts';
import { canonicalAddress, parseRange, rangeContains } from '../../../kernel/ip.ts';
import { CHANGE_COLUMNS, type RowOf, SCOPE_COLUMNS } from '../../../platform/database/rows.ts';
import type { IpAssignment } from '../ports/index.ts';

export interface StaticRoute {
  readonly destination: string;
  readonly nexthop: string;
}

export interface RouterInterface {
  readonly port_id: string;
  readonly network_id: string;
  readonly subnet_id: string;
  readonly cidr: string;
  readonly ip_assignments: readonly IpAssignment[];
}

export const ROUTER_COLUMNS = [
  ...SCOPE_COLUMNS,
  'client_id',
  'name',
  'network_id',
  'gateway_port_id',
  'enable_snat',
  'routes',
  ...CHANGE_COLUMNS,
] as const;

/** `network_id`: the network that it came with, and goes with. */
export interface RouterRow
  extends RowOf<'routers', typeof ROUTER_COLUMNS, { routes: readonly StaticRoute[] }> {
  /** Where it reaches the region's own network. */
  readonly gateway: { readonly network_id: string; readonly ip_assignments: readonly IpAssignment[] } | null;
  /** In the order in which they were attached. */
  readonly interfaces: readonly RouterInterface[];
}

/** Adds what is wrong with static routes by themselves, wherever the router is attached. */
export function checkGivenRoutes(
  { routes }: { readonly routes?: readonly StaticRoute[] | null },
  faults: Faults,
): void {
  const seen = new Set<string>();
  for (const [index, { destination, nexthop }] of (routes ?? []).entries()) {
    const field = `routes.${index}.destination`;
    const range = parseRange(destination);
    const version = nexthop.includes(':') ? 6 : 4;
    if (range && range.version !== version) {
      faults.add(field, `must be a network of IP version ${version}, like its nexthop`);
    }
    const text = range?.text ?? destination;
    if (seen.has(text)) faults.add(field, `${text} is given twice`);
    seen.add(text);
  }
}

/** Static routes in one spelling; what they lead through must be in one of the subnets. Faults are collected. */
export function checkedRoutes(
  routes: readonly StaticRoute[],
  subnets: readonly string[],
  faults: Faults,
): StaticRoute[] {
  checkGivenRoutes({ routes }, faults);
  const ranges = subnets.flatMap((cidr) => parseRange(cidr) ?? []);
  return routes.map(({ destination, nexthop }, index) => {
    if (!ranges.some((subnet) => rangeContains(subnet, nexthop))) {
      faults.add(`routes.${index}.nexthop`, `${nexthop} is in no subnet that the router is attached to`);
    }
    const text = parseRange(destination)?.text ?? destination;
    return { destination: text, nexthop: canonicalAddress(nexthop) };
  });
}

/** The routes that lead through a subnet. */
export function routesThrough(routes: readonly StaticRoute[], cidr: string): StaticRoute[] {
  const range = parseRange(cidr);
  return range ? routes.filter(({ nexthop }) => rangeContains(range, nexthop)) : [];
}
