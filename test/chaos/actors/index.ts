import type { Actor } from './actor.ts';
import { floatingIps } from './floating-ips.ts';
import { kubernetes } from './kubernetes.ts';
import { loadBalancerParts } from './load-balancer-parts.ts';
import { loadBalancers } from './load-balancers.ts';
import { networks } from './networks.ts';
import { projects } from './projects.ts';
import { secrets } from './secrets.ts';

/** In the order in which what they leave can be taken away. */
export const actors: readonly Actor[] = [
  floatingIps,
  loadBalancerParts,
  loadBalancers,
  kubernetes,
  networks,
  secrets,
  projects,
];
