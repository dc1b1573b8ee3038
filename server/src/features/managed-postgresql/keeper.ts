import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db } from '../../platform/database/db.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { readRunning, writeObserved } from './cluster-store.ts';
import { desiredOf, hasPlace } from './desired.ts';
import type { PostgresqlProvider } from './port.ts';
import { isActivatedAnywhere } from './store.ts';
import { readUsers } from './user-store.ts';

export interface KeeperDeps {
  readonly db: Db;
  readonly log: Logger;
  readonly cipher: Cipher;
  providerOf(regionId: number): PostgresqlProvider | undefined;
  regionIds(): readonly number[];
  /** Which regions this node works on. */
  readonly owners: { serves(regionId: number): boolean };
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

  async run(): Promise<void> {
    for (const regionId of this.#deps.regionIds()) {
      const provider = this.#deps.providerOf(regionId);
      if (!provider?.observeClusters || !this.#deps.owners.serves(regionId)) continue;
      try {
        await this.#prepare(regionId, provider);
        await this.#keep(regionId, provider);
      } catch (error) {
        this.#deps.log.warn(
          { err: error, regionId },
          `PostgreSQL clusters were not seen: ${messageOf(error)}`,
        );
      }
    }
  }

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
