/** What a region can run out of. */
export const RESOURCES = [
  'disk',
  'memory',
  'addresses_ipv4',
  'addresses_ipv6',
  'kubernetes_networks',
] as const;
export type Resource = (typeof RESOURCES)[number];

/** Which addresses something of a family takes; IPv4 where it names none. */
export const addressesTaken = (family: 'dual' | 'ipv4' | 'ipv6' | null | undefined): readonly Resource[] => {
  if (family === 'dual') return ['addresses_ipv4', 'addresses_ipv6'];
  return [family === 'ipv6' ? 'addresses_ipv6' : 'addresses_ipv4'];
};
