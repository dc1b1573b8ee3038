import { type DriftOptions, DriftReconciler } from '../../../platform/drift/reconciler.ts';
import type { Feature } from '../../../platform/feature.ts';
import type { DesiredNoun, NetworkProvider, Noun } from '../networks/index.ts';
import { storeRouterGateway } from '../routers/index.ts';
import { readNoun, readNouns } from './nouns.ts';

const EVERY_MS = 15_000;

export interface NetworkReconcileDeps extends DriftOptions {
  providerOf(regionId: number): NetworkProvider | undefined;
}

/** Keeps networks and what is in them as they are desired, in regions that others can change, too. */
export function networkReconcile(deps: NetworkReconcileDeps): Feature {
  const reconciler = new DriftReconciler<NetworkProvider, DesiredNoun, Noun['kind']>(deps, {
    noun: 'networks',
    providerOf: deps.providerOf,
    readAll: readNouns,
    readNow: readNoun,
    apply: async (provider, desired, operation) => {
      const applied = await provider.apply(desired, operation);
      const { ready, gateway } = applied;
      if (ready && gateway) await deps.db.transaction((tx) => storeRouterGateway(tx, desired.id, gateway));
      return applied;
    },
    remove: (provider, { kind, id }, operation) => provider.remove({ kind, id }, operation),
  });
  return {
    name: 'network-reconcile',
    background: [{ name: 'networks-reconcile', everyMs: EVERY_MS, exclusive: false, run: reconciler.run }],
  };
}
