import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Db } from '../../platform/database/db.ts';
import { inOwnRegions, type OwnRegions } from '../../platform/owners/own-regions.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { desiredOf } from './desired.ts';
import { endPaused, noteServing } from './health.ts';
import { KEPT_DAYS, type StorageRow } from './model.ts';
import { readParts, writeSeenBuckets } from './parts-store.ts';
import type { DesiredStorage, ObjectStorageProvider, ObservedStorage, StorageReport } from './port.ts';
import { hasAddress, type WithAddress } from './storage-tasks.ts';
import { markFilesGone, markPurged, readOutdated, storages } from './store.ts';

export interface ReconcilerDeps extends OwnRegions<ObjectStorageProvider> {
  readonly db: Db;
  readonly clock: Clock;
  readonly cipher: Cipher;
  /** Counts what was used of a storage, each report once. */
  count(storage: WithAddress<StorageRow>, report: StorageReport): Promise<void>;
}

const DAY_MS = 86_400_000;

/** Looks after storages that are real: what died is started, and what is seen of them is written. */
export class Reconciler {
  readonly #deps: ReconcilerDeps;
  /** Buckets as they were written last, by storage. */
  readonly #written = new Map<number, string>();

  constructor(deps: ReconcilerDeps) {
    this.#deps = deps;
  }

  run = (): Promise<void> =>
    inOwnRegions(this.#deps, 'Storages', (regionId, provider) => this.#keep(regionId, provider));

  /** Forgets the files of storages that were deleted long enough ago. Where that fails, it is done again. */
  async purge(): Promise<void> {
    const { db, clock, log, regionIds, owners, providerOf } = this.#deps;
    const mine = regionIds().filter((id) => owners.serves(id) && providerOf(id) !== undefined);
    const before = new Date(clock.now().getTime() - KEPT_DAYS * DAY_MS);
    for (const row of await readOutdated(db, mine, before)) {
      try {
        await this.#purge(row);
      } catch (error) {
        const words = `files of a deleted storage were not removed: ${messageOf(error)}`;
        log.warn({ err: error, storage: row.id }, words);
      }
    }
  }

  async #purge({ id, region_id: regionId }: StorageRow): Promise<void> {
    const { db, clock, providerOf } = this.#deps;
    // First nobody can restore it, then its files go: in between it would come back empty.
    if (!(await markPurged(db, id, clock.timestamp()))) return;
    await providerOf(regionId)?.purge?.(String(id));
    await markFilesGone(db, id, clock.timestamp());
  }

  async #keep(regionId: number, provider: ObjectStorageProvider): Promise<void> {
    if (!provider.observeStorages) return;
    const { db, cipher } = this.#deps;
    const rows = new Map<string, WithAddress<StorageRow>>();
    const desired = async (id: string): Promise<DesiredStorage | undefined> => {
      const row = await storages.findRunning(db, id);
      if (!row || !hasAddress(row)) return undefined;
      rows.set(id, row);
      return desiredOf(cipher, row, await readParts(db, row.id), 'before');
    };
    await endPaused(db, storages, regionId, (id) => provider.pause?.(id));
    const seen = await provider.observeStorages(await storages.runningIds(db, regionId), desired);
    for (const [id, row] of rows) {
      const observed = seen.get(id);
      const served = observed && (await noteServing(db, { storages, noun: 'object_storage' }, row, observed));
      if (served) await this.#write(row, served, provider);
    }
  }

  async #write(
    row: WithAddress<StorageRow>,
    observed: ObservedStorage,
    provider: ObjectStorageProvider,
  ): Promise<void> {
    const { db, clock, count } = this.#deps;
    const buckets = [...observed.buckets].sort((a, b) => (a.name < b.name ? -1 : 1));
    const text = JSON.stringify([row.version, buckets]);
    if (this.#written.get(row.id) !== text) {
      const seen = { storageId: row.id, version: row.version, buckets, timestamp: clock.timestamp() };
      await writeSeenBuckets(db, seen);
      this.#written.set(row.id, text);
    }
    if (!observed.report) return;
    await count(row, observed.report);
    await provider.acknowledge?.(String(row.id), observed.report.id);
  }
}
