/** What a region can run out of. */
export const RESOURCES = [
  'disk',
  'memory',
  'addresses_ipv4',
  'addresses_ipv6',
  'kubernetes_networks',
] as const;
export type Resource = (typeof RESOURCES)[number];

/** What listens on addresses that others can reach, beside load balancers, where the region says so. */
export const EXTERNAL_SERVICES = ['postgresql', 'object_storage', 'sftp_storage'] as const;
export type ExternalService = (typeof EXTERNAL_SERVICES)[number];

/** What something new takes. A service takes an address of IPv4 where the region has it listen outside. */
export type Need = Resource | ExternalService;
