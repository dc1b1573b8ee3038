/** What a region can run out of. */
export const RESOURCES = [
  'disk',
  'memory',
  'addresses_ipv4',
  'addresses_ipv6',
  'kubernetes_networks',
] as const;
export type Resource = (typeof RESOURCES)[number];
