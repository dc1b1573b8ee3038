import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db } from '../../platform/database/db.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { desiredOf, hasPlace, type PlacedStorage } from './desired.ts';
import { KEPT_DAYS } from './model.ts';
import { readParts, writeSeenBuckets } from './parts-store.ts';
import type { ObjectStorageProvider, ObservedStorage, StorageReport } from './port.ts';
import { markPurged, readOutdated, readRunning } from './store.ts';

export interface KeeperDeps {
  readonly db: Db;
  readonly log: Logger;
  readonly clock: Clock;
  readonly cipher: Cipher;
  providerOf(regionId: number): ObjectStorageProvider | undefined;
  regionIds(): readonly number[];
  /** Which regions this node works on. */
  readonly owners: { serves(regionId: number): boolean };
  /** Counts what was used of a storage, each report once. */
  count(storage: PlacedStorage, report: StorageReport): Promise<void>;
}

const DAY_MS = 86_400_000;

/** Looks after storages that are real: what died is started, and what is seen of them is written. */
export class Keeper {
  readonly #deps: KeeperDeps;
  /** Names of buckets that were written last, by storage. */
  readonly #written = new Map<number, string>();

  constructor(deps: KeeperDeps) {
    this.#deps = deps;
  }

  async run(): Promise<void> {
    const { regionIds, owners, providerOf, log } = this.#deps;
    for (const regionId of regionIds()) {
      const provider = providerOf(regionId);
      if (!provider?.observeStorages || !owners.serves(regionId)) continue;
      try {
        await this.#keep(regionId, provider);
      } catch (error) {
        log.warn({ err: error, regionId }, `storages were not seen: ${messageOf(error)}`);
      }
    }
  }

  /** Forgets the files of storages that were deleted long enough ago. */
  async purge(): Promise<void> {
    const { db, clock, regionIds, owners, providerOf } = this.#deps;
    const mine = regionIds().filter((id) => owners.serves(id) && providerOf(id) !== undefined);
    const before = new Date(clock.now().getTime() - KEPT_DAYS * DAY_MS);
    for (const row of await readOutdated(db, mine, before)) {
      // First nobody can restore it, then its files go: in between it would come back empty.
      if (await markPurged(db, row.id, clock.timestamp()))
        await providerOf(row.region_id)?.purge?.(String(row.id));
    }
  }

  async #keep(regionId: number, provider: ObjectStorageProvider): Promise<void> {
    const { db, cipher } = this.#deps;
    const rows = (await readRunning(db, regionId)).filter(hasPlace);
    const desired = await Promise.all(
      rows.map(async (row) => desiredOf(cipher, row, await readParts(db, row.id), 'before')),
    );
    const seen = (await provider.observeStorages?.(desired)) ?? new Map<string, ObservedStorage>();
    for (const row of rows) {
      const observed = seen.get(String(row.id));
      if (observed) await this.#write(row, observed, provider);
    }
  }

  async #write(
    row: PlacedStorage,
    observed: ObservedStorage,
    provider: ObjectStorageProvider,
  ): Promise<void> {
    const { db, clock, count } = this.#deps;
    const names = [...observed.buckets].sort();
    const text = JSON.stringify([row.version, names]);
    if (this.#written.get(row.id) !== text) {
      const seen = { storageId: row.id, version: row.version, names, timestamp: clock.timestamp() };
      await writeSeenBuckets(db, seen);
      this.#written.set(row.id, text);
    }
    if (!observed.report) return;
    await count(row, observed.report);
    await provider.acknowledge?.(String(row.id), observed.report.id);
  }
}
