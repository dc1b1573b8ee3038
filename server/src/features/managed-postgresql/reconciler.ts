import { noteChange } from '../../platform/changes/changes.ts';
import type { Db } from '../../platform/database/db.ts';
import { inOwnRegions, type OwnRegions } from '../../platform/owners/own-regions.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { findRunning, readPaused, readRunningIds, writeObserved } from './cluster-store.ts';
import { desiredOf, hasHost } from './desired.ts';
import type { DesiredCluster, ObservedCluster, PostgresqlProvider } from './port.ts';
import { isActivatedAnywhere } from './store.ts';
import { readUsers } from './user-store.ts';

export interface ReconcilerDeps extends OwnRegions<PostgresqlProvider> {
  readonly db: Db;
  readonly cipher: Cipher;
}

interface Written {
  readonly text: string;
  /** How it was, without what is measured of it. */
  readonly health: string;
}

const writtenOf = (observed: ObservedCluster): Written => ({
  text: JSON.stringify(observed),
  health: JSON.stringify([observed.fault, observed.servers]),
});

/** What is known of one whose servers were ended, which is no fault; undefined: that is known. */
function stoppedOf({ servers, ...observed }: ObservedCluster): ObservedCluster | undefined {
  if (servers?.phase === 'stopped') return undefined;
  const seen = servers ?? { primary: 'a', replica: null, took_over_at: null };
  return { ...observed, fault: null, servers: { ...seen, missing: null, phase: 'stopped' } };
}

/** Looks after clusters that are real: what died is started, and what is seen of them is written. */
export class Reconciler {
  readonly #deps: ReconcilerDeps;
  /** Regions where nothing is to be made ready any more. */
  readonly #prepared = new Set<number>();
  /** What was written last, by region and cluster. */
  readonly #written = new Map<number, ReadonlyMap<string, Written>>();

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
    for (const { id, observed } of await readPaused(db, regionId)) {
      await provider.pause?.(id);
      const stopped = observed && stoppedOf(observed);
      if (stopped) await this.#write(id, stopped);
    }
    const ids = await readRunningIds(db, regionId);
    const seen = (await provider.observeClusters?.(ids, (id) => this.#desired(id))) ?? new Map();
    const before = this.#written.get(regionId);
    const written = new Map<string, Written>();
    for (const [id, observed] of seen) {
      const now = writtenOf(observed);
      const last = before?.get(id);
      if (last?.text !== now.text) await this.#write(id, observed, last?.health !== now.health);
      written.set(id, now);
    }
    this.#written.set(regionId, written);
  }

  /** @param isNews it is otherwise than before: who follows the account is notified. What is measured changes all the time */
  async #write(id: string, observed: ObservedCluster, isNews = true): Promise<void> {
    const { db } = this.#deps;
    const owner = await writeObserved(db, id, observed);
    if (!isNews || !owner) return;
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
