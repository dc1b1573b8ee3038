import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import { desiredOf } from './desired.ts';
import type { DesiredLoadBalancer } from './port.ts';
import type { RegionProviders } from './region-providers.ts';
import type { TreeCache } from './tree-cache.ts';

/** Brings the data planes in line with what the database says: what died is started, what nobody wants stops. */
export class Reconciler {
  readonly #providers: RegionProviders;
  readonly #trees: TreeCache;
  readonly #log: Logger;

  constructor(providers: RegionProviders, trees: TreeCache, log: Logger) {
    this.#providers = providers;
    this.#trees = trees;
    this.#log = log;
  }

  async run(): Promise<void> {
    for (const [regionId, provider] of await this.#providers.live()) {
      try {
        await this.#providers.pass(regionId, async () => {
          const { desired, busy } = await this.#wanted(regionId);
          await provider.reconcile(desired, busy);
        });
      } catch (error) {
        this.#log.warn(
          { err: error, regionId },
          `load balancers could not be reconciled: ${messageOf(error)}`,
        );
      }
    }
  }

  async #wanted(regionId: number): Promise<{ desired: DesiredLoadBalancer[]; busy: Set<string> }> {
    const desired: DesiredLoadBalancer[] = [];
    const busy = new Set<string>();
    for (const tree of await this.#trees.read([regionId])) {
      if (tree.task_id !== null) busy.add(tree.id);
      else if (tree.vip_address !== null) desired.push(desiredOf(tree, tree.vip_address));
    }
    return { desired, busy };
  }
}
