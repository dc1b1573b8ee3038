import type { Clock } from '../../../kernel/clock.ts';
import type { Logger } from '../../../kernel/log.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { Feature } from '../../../platform/feature.ts';
import type { NetworkProvider } from '../networks/index.ts';
import { NetworkReconciler } from './reconciler.ts';

const EVERY_MS = 15_000;

export interface NetworkReconcileDeps {
  readonly db: Db;
  readonly log: Logger;
  readonly clock: Clock;
  regionIds(): readonly number[];
  providerOf(regionId: number): NetworkProvider | undefined;
}

/** Keeps networks and what is in them as they are desired, in regions that others can change, too. */
export function networkReconcile(deps: NetworkReconcileDeps): Feature {
  const reconciler = new NetworkReconciler(deps);
  return {
    name: 'network-reconcile',
    background: [
      { name: 'networks-reconcile', everyMs: EVERY_MS, exclusive: false, run: () => reconciler.run() },
    ],
  };
}
