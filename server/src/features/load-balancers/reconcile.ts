import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db } from '../../platform/database/db.ts';
import type { DataPlanes } from './data-planes.ts';
import { desiredOf } from './desired.ts';
import { secretIdsOf } from './desired-tls.ts';
import { vipsOf } from './model.ts';
import type { DesiredLoadBalancer } from './port.ts';
import { readTree, readVersions } from './tree-store.ts';

/** Brings the data planes in line with what the database says: what died is started, what nobody wants stops. */
export class Reconciler {
  readonly #db: Db;
  readonly #providers: DataPlanes;
  readonly #log: Logger;

  constructor(db: Db, providers: DataPlanes, log: Logger) {
    this.#db = db;
    this.#providers = providers;
    this.#log = log;
  }

  async run(): Promise<void> {
    for (const [regionId, provider] of await this.#providers.live()) {
      try {
        const versions = await readVersions(this.#db, [regionId]);
        await provider.reconcile(versions, (id) => this.#desired(regionId, id));
      } catch (error) {
        this.#log.warn(
          { err: error, regionId },
          `load balancers could not be reconciled: ${messageOf(error)}`,
        );
      }
    }
  }

  async #desired(regionId: number, id: string): Promise<DesiredLoadBalancer | null | undefined> {
    const tree = await readTree(this.#db, id);
    if (tree?.region_id !== regionId) return null;
    const vips = vipsOf(tree);
    if (tree.task_id !== null || !vips) return undefined;
    const ids = secretIdsOf(tree);
    const secrets = await this.#providers.secrets.open(this.#db, ids);
    const missing = ids.find((secret) => !secrets.has(secret));
    if (missing !== undefined) {
      this.#log.warn({ loadBalancerId: id }, `secret ${missing} cannot be opened: not all is served`);
    }
    return desiredOf(tree, vips, secrets);
  }
}
