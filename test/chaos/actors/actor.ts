import type { ChaosClient } from '../client.ts';

/** One kind of resource in the storm. */
export interface Actor {
  /** How often it is chosen, in relation to the others. */
  readonly weight: number;
  /** The whole life of one resource. `number` is the operation's own. */
  live(client: ChaosClient, number: number): Promise<void>;
  /** Its list, and what deletes one of it; in the order in which actors are named everything can go. */
  readonly all: readonly { readonly list: string; one(row: Row): string }[];
}

export interface Row {
  readonly id: string;
  readonly name: string;
  /** Of reserved addresses, instead of an id. */
  readonly port_id?: string;
  /** Of PostgreSQL clusters, instead of an id. */
  readonly cluster_name?: string;
  /** Of projects and networks: one that cannot be deleted. */
  readonly is_default?: boolean;
  readonly external?: boolean;
}

export const LOCAL = 1;
export const SIMULATED = 2;

/** Where every fourth of a kind lives: in the local region, if it is its turn. */
export const regionOf = (number: number, turn: number): number => (number % 4 === turn ? LOCAL : SIMULATED);

/** Of a load balancer or a part of one that nothing changes. */
export const SETTLED = { provisioning_status: 'ACTIVE', task_id: null };

/** The path of the second version of a call. */
export const v2 = (path: string): string => path.replace('/v1/', '/v2/');
