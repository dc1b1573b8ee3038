import { noteChange } from '../../platform/changes/changes.ts';
import type { Db } from '../../platform/database/db.ts';
import { inOwnRegions, type OwnRegions } from '../../platform/owners/own-regions.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { findRunning, readPausedIds, readRunningIds, writeObserved } from './cluster-store.ts';
import { desiredOf, hasHost } from './desired.ts';
import type { DesiredCluster, ObservedCluster, PostgresqlProvider } from './port.ts';
import { isActivatedAnywhere } from './store.ts';
import { readUsers } from './user-store.ts';

export interface ReconcilerDeps extends OwnRegions<PostgresqlProvider> {
  readonly db: Db;
  readonly cipher: Cipher;
}

/** Looks after clusters that are real: what died is started, and what is seen of them is written. */
export class Reconciler {
  readonly #deps: ReconcilerDeps;
  /** Regions where nothing is to be made ready any more. */
  readonly #prepared = new Set<number>();
  /** What was written last, by cluster. */
  readonly #written = new Map<string, string>();
  /** How each was last, without what is measured of it. */
  readonly #health = new Map<string, string>();

  constructor(deps: ReconcilerDeps) {
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
    const { db } = this.#deps;
    for (const id of await readPausedIds(db, regionId)) await provider.pause?.(id);
    const ids = await readRunningIds(db, regionId);
    if (ids.length === 0) return;
    const seen = (await provider.observeClusters?.(ids, (id) => this.#desired(id))) ?? new Map();
    for (const [id, observed] of seen) {
      const text = JSON.stringify(observed);
      if (this.#written.get(id) === text) continue;
      await this.#write(id, observed);
      this.#written.set(id, text);
    }
    for (const map of [this.#written, this.#health])
      for (const id of map.keys()) if (!seen.has(id)) map.delete(id);
  }

  /** Notifies who follows the account when it is otherwise than before; what is measured changes all the time. */
  async #write(id: string, observed: ObservedCluster): Promise<void> {
    const { db } = this.#deps;
    const owner = await writeObserved(db, id, observed);
    const health = JSON.stringify([observed.fault, observed.servers]);
    const before = this.#health.get(id);
    this.#health.set(id, health);
    if (before === health || !owner) return;
    const { client_id: clientId, project_id: projectId, region_id: regionId } = owner;
    const action = 'health';
    noteChange(db, { clientId, projectId, regionId, action, noun: 'dbaas_postgres_cluster', id });
  }

  async #desired(id: string): Promise<DesiredCluster | undefined> {
    const { db, cipher } = this.#deps;
    const row = await findRunning(db, id);
    if (!row || !hasHost(row)) return undefined;
    return desiredOf(cipher, row, row.spec, await readUsers(db, [id]));
  }
}
