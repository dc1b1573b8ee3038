import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db } from '../../platform/database/db.ts';
import type { DataPlanes } from './data-planes.ts';
import { desiredOf } from './desired.ts';
import { secretIdsOf } from './desired-tls.ts';
import { vipsOf } from './model.ts';
import type { DesiredLoadBalancer } from './port.ts';
import { SecretCache } from './secret-cache.ts';
import type { TreeCache } from './tree-cache.ts';

/** Brings the data planes in line with what the database says: what died is started, what nobody wants stops. */
export class Reconciler {
  readonly #providers: DataPlanes;
  readonly #trees: TreeCache;
  readonly #secrets: SecretCache;
  readonly #log: Logger;

  constructor(db: Db, providers: DataPlanes, trees: TreeCache, log: Logger) {
    this.#secrets = new SecretCache(db, providers.secrets);
    this.#providers = providers;
    this.#trees = trees;
    this.#log = log;
  }

  async run(): Promise<void> {
    for (const [regionId, provider] of await this.#providers.live()) {
      try {
        await this.#providers.pass(regionId, async () => {
          await provider.reconcile(await this.#desired(regionId));
        });
      } catch (error) {
        this.#log.warn(
          { err: error, regionId },
          `load balancers could not be reconciled: ${messageOf(error)}`,
        );
      }
    }
  }

  /** Everything with its addresses but what is being deleted. */
  async #desired(regionId: number): Promise<DesiredLoadBalancer[]> {
    const trees = await this.#trees.read([regionId]);
    const secrets = await this.#secrets.read(regionId, [...new Set(trees.flatMap(secretIdsOf))]);
    return trees.flatMap((tree) => {
      const vips = vipsOf(tree);
      if (tree.provisioning_status === 'PENDING_DELETE' || !vips) return [];
      const missing = secretIdsOf(tree).find((id) => !secrets.has(id));
      if (missing !== undefined) {
        this.#log.warn({ loadBalancerId: tree.id }, `secret ${missing} cannot be opened: not all is served`);
      }
      return [desiredOf(tree, vips, secrets)];
    });
  }
}
