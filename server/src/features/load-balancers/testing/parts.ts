/** Calls that the tests of parts share; region 2 of the test server is simulated and instant. */

export const LISTENERS = '/cloud/v1/lblisteners/1/2';
export const POOLS = '/cloud/v1/lbpools/1/2';
export const POOLS_V2 = '/cloud/v2/lbpools/1/2';
export const membersOf = (pool: string) => `/cloud/v1/loadbalancers/1/2/pools/${pool}/members`;
