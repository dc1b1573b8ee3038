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
          await provider.reconcile(await this.#wanted(regionId));
        });
      } catch (error) {
        this.#log.warn(
          { err: error, regionId },
          `load balancers could not be reconciled: ${messageOf(error)}`,
        );
      }
    }
  }

  /** Everything with an address but what is being deleted. */
  async #wanted(regionId: number): Promise<DesiredLoadBalancer[]> {
    const trees = await this.#trees.read([regionId]);
    return trees.flatMap((tree) => {
      const wanted = tree.provisioning_status !== 'PENDING_DELETE' && tree.vip_address !== null;
      return wanted ? [desiredOf(tree, tree.vip_address)] : [];
    });
  }
}
