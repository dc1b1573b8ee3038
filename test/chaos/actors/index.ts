import type { Actor } from './actor.ts';
import { floatingIps } from './floating-ips.ts';
import { kubernetes } from './kubernetes.ts';
import { l7Policies } from './l7-policies.ts';
import { loadBalancerParts } from './load-balancer-parts.ts';
import { loadBalancers } from './load-balancers.ts';
import { networks } from './networks.ts';
import { pools } from './pools.ts';
import { postgresql } from './postgresql.ts';
import { projects } from './projects.ts';
import { reservedFixedIps } from './reserved-fixed-ips.ts';
import { secrets } from './secrets.ts';
import { storages } from './storages.ts';

/** In the order in which what they leave can be removed. */
export const actors: readonly Actor[] = [
  floatingIps,
  loadBalancerParts,
  pools,
  l7Policies,
  loadBalancers,
  reservedFixedIps,
  kubernetes,
  postgresql,
  networks,
  secrets,
  storages,
  projects,
];
