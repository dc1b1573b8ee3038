import type { SimulationSignals } from '../../features/kubernetes/port.ts';
import type { Strike } from '../../features/simulation/port.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Operation } from '../../kernel/operation.ts';
import { simulatedAddresses } from './addresses.ts';
import { simulatedInstances } from './instances.ts';
import { simulatedKubernetes } from './kubernetes.ts';
import { simulatedLoadBalancers } from './load-balancers.ts';
import { simulatedNetworks } from './networks.ts';
import { simulatedObjectStorage } from './object-storage.ts';
import { simulatedPostgresql } from './postgresql.ts';
import { simulatedSecurityGroups } from './security-groups.ts';
import { simulatedSftpStorage } from './sftp-storage.ts';
import { simulatedImages, simulatedVolumes } from './volumes.ts';

export { SIMULATED_CONTENTS } from './contents.ts';

export interface SimulatedOptions {
  /** The same seed gives the same durations and failures. */
  readonly seed: string;
  /** Multiplies durations; 0: instant, 1: as long as in a real cloud. */
  readonly timeScale: number;
  /** Share of the nodes that fail some time after they were ready, 0 to 1, by how. */
  readonly conditions: Readonly<Record<string, number>>;
  readonly clock: Clock;
  /** What operators have said about nodes and pools. Absent: nothing. */
  readonly signals?: SimulationSignals;
  /** What is to go wrong. Absent: nothing. */
  readonly strikeOn?: (operation: Operation) => Promise<Strike>;
}

const UNHARMED = async (): Promise<Strike> => ({ delayMs: 0, failure: undefined });

export type Simulated = ReturnType<typeof createSimulated>;

/** A region without side effects: what is asked of it takes its time and then counts as done. */
export function createSimulated({ clock, signals, strikeOn = UNHARMED, ...rest }: SimulatedOptions) {
  const options = { ...rest, strikeOn, now: () => clock.now().getTime() };
  return {
    addresses: simulatedAddresses(options),
    loadBalancers: simulatedLoadBalancers(options),
    kubernetes: simulatedKubernetes(options, signals),
    networks: simulatedNetworks(options),
    volumes: simulatedVolumes(options),
    images: simulatedImages(options),
    instances: simulatedInstances(options),
    securityGroups: simulatedSecurityGroups(options),
    postgresql: simulatedPostgresql(options),
    objectStorage: simulatedObjectStorage(options),
    sftpStorage: simulatedSftpStorage(options),
  };
}
