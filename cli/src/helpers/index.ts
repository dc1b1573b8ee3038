import type { Command } from 'commander';
import type { Terminal } from '../terminal.ts';
import { addKubernetesHelpers } from './kubernetes.ts';
import { addLoadBalancerHelpers } from './load-balancers.ts';
import { addPostgresqlHelpers } from './postgresql.ts';
import { addQuotaHelpers } from './quotas.ts';
import { addRegionHelpers } from './regions.ts';
import { addSecretHelpers } from './secrets.ts';
import { addStorageHelpers } from './storages.ts';
import { addTaskHelpers } from './tasks.ts';
import { addTokenHelpers } from './tokens.ts';

/** Verbs that were made by hand, where people need more than the fields of the API. */
export const HELPERS: Readonly<Record<string, (noun: Command, terminal: Terminal) => void>> = {
  lb: addLoadBalancerHelpers,
  k8s: addKubernetesHelpers,
  pg: addPostgresqlHelpers,
  storage: addStorageHelpers,
  task: addTaskHelpers,
  quota: addQuotaHelpers,
  region: addRegionHelpers,
  token: addTokenHelpers,
  secret: addSecretHelpers,
};
