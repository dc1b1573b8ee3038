import type { Faults } from '../../../kernel/faults.ts';
import { canonicalAddress, parseRange, rangeContains } from '../../../kernel/ip.ts';
import { CHANGE_COLUMNS, type RowOf } from '../../../platform/database/rows.ts';
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
  ...(['id', 'project_id', 'region_id', 'client_id', 'name', 'network_id', 'gateway_port_id'] as const),
  ...(['enable_snat', 'routes'] as const),
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

/** Static routes in one spelling; what they lead through must be in one of the subnets. Faults are collected. */
export function checkedRoutes(
  routes: readonly StaticRoute[],
  subnets: readonly string[],
  faults: Faults,
): StaticRoute[] {
  const ranges = subnets.flatMap((cidr) => parseRange(cidr) ?? []);
  const seen = new Set<string>();
  return routes.map(({ destination, nexthop }, index) => {
    const range = parseRange(destination);
    const text = range?.text ?? destination;
    const via = ranges.find((subnet) => rangeContains(subnet, nexthop));
    const field = `routes.${index}`;
    if (!via) faults.add(`${field}.nexthop`, `${nexthop} is in no subnet that the router is attached to`);
    else if (range && range.version !== via.version) {
      faults.add(`${field}.destination`, `must be a network of IP version ${via.version}, like its nexthop`);
    }
    if (seen.has(text)) faults.add(`${field}.destination`, `${text} is given twice`);
    seen.add(text);
    return { destination: text, nexthop: canonicalAddress(nexthop) };
  });
}

/** The routes that lead through a subnet. */
export function routesThrough(routes: readonly StaticRoute[], cidr: string): StaticRoute[] {
  const range = parseRange(cidr);
  return range ? routes.filter(({ nexthop }) => rangeContains(range, nexthop)) : [];
}
