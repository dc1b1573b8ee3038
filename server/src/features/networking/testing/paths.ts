/** Where tests call networks and what is in them; region 2 of the test server is simulated and instant. */

export const NETWORKS = '/cloud/v1/networks/1/2';
export const SUBNETS = '/cloud/v1/subnets/1/2';
export const RESERVED = '/cloud/v1/reserved_fixed_ips/1/2';
