import type { ChaosClient } from '../client.ts';
import { SIMULATED } from './actor.ts';

export const LBS = `/cloud/v1/loadbalancers/1/${SIMULATED}`;

/** A new load balancer without parts; undefined: it could not be made. */
export const emptyBalancer = (client: ChaosClient, name: string): Promise<string | undefined> =>
  client.create(LBS, { name }, 'loadbalancers', (id) => `${LBS}/${id}`);
