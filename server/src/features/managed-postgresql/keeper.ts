import type { Db } from '../../platform/database/db.ts';
import { inOwnRegions, type OwnRegions } from '../../platform/owners/own-regions.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { readRunning, writeObserved } from './cluster-store.ts';
import { desiredOf, hasPlace } from './desired.ts';
import type { PostgresqlProvider } from './port.ts';
import { isActivatedAnywhere } from './store.ts';
import { readUsers } from './user-store.ts';

export interface KeeperDeps extends OwnRegions<PostgresqlProvider> {
  readonly db: Db;
  readonly cipher: Cipher;
}

/** Looks after clusters that are real: what died is started, and what is seen of them is written. */
export class Keeper {
  readonly #deps: KeeperDeps;
  /** Regions where nothing is to be made ready any more. */
  readonly #prepared = new Set<number>();
  /** What was written last, by cluster. */
  readonly #written = new Map<string, string>();

  constructor(deps: KeeperDeps) {
    this.#deps = deps;
  }

  run = (): Promise<void> =>
    inOwnRegions(this.#deps, 'PostgreSQL clusters', async (regionId, provider) => {
      if (!provider.observeClusters) return;
      await this.#prepare(regionId, provider);
      await this.#keep(regionId, provider);
    });

  /** From the first activation on, a first cluster is near. */
  async #prepare(regionId: number, provider: PostgresqlProvider): Promise<void> {
    if (this.#prepared.has(regionId) || !provider.prepare) return;
    if (!(await isActivatedAnywhere(this.#deps.db, regionId))) return;
    this.#prepared.add(regionId);
    await provider.prepare();
  }

  async #keep(regionId: number, provider: PostgresqlProvider): Promise<void> {
    const { db, cipher } = this.#deps;
    const rows = (await readRunning(db, regionId)).filter(hasPlace);
    if (rows.length === 0) return;
    const users = await readUsers(
      db,
      rows.map(({ id }) => id),
    );
    const desired = rows.map((row) =>
      desiredOf(
        cipher,
        row,
        row.spec,
        users.filter((user) => user.cluster_id === row.id),
      ),
    );
    const seen = (await provider.observeClusters?.(desired)) ?? new Map();
    for (const [id, observed] of seen) {
      const text = JSON.stringify(observed);
      if (this.#written.get(id) === text) continue;
      await writeObserved(db, id, observed);
      this.#written.set(id, text);
    }
    for (const id of this.#written.keys()) if (!seen.has(id)) this.#written.delete(id);
  }
}
