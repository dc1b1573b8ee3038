import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db } from '../../platform/database/db.ts';
import type { StorageReport } from '../object-storage/index.ts';
import type { ObservedSftpStorage, SftpStorageProvider } from './port.ts';
import { readRunning } from './store.ts';
import { desiredOf, hasPlace, type PlacedSftpStorage } from './tasks.ts';

export interface SftpKeeperDeps {
  readonly db: Db;
  readonly log: Logger;
  providerOf(regionId: number): SftpStorageProvider | undefined;
  regionIds(): readonly number[];
  /** Which regions this node works on. */
  readonly owners: { serves(regionId: number): boolean };
  /** Counts what was used of a storage, each report once. */
  count(storage: PlacedSftpStorage, report: StorageReport): Promise<void>;
}

/** Looks after storages that are real: what died is started, and what was used is counted. */
export class SftpKeeper {
  readonly #deps: SftpKeeperDeps;

  constructor(deps: SftpKeeperDeps) {
    this.#deps = deps;
  }

  async run(): Promise<void> {
    const { regionIds, owners, providerOf, log } = this.#deps;
    for (const regionId of regionIds()) {
      const provider = providerOf(regionId);
      if (!provider?.observeSftpStorages || !owners.serves(regionId)) continue;
      try {
        await this.#keep(regionId, provider);
      } catch (error) {
        log.warn({ err: error, regionId }, `SFTP storages were not seen: ${messageOf(error)}`);
      }
    }
  }

  async #keep(regionId: number, provider: SftpStorageProvider): Promise<void> {
    const { db, count } = this.#deps;
    const rows = (await readRunning(db, regionId)).filter(hasPlace);
    const desired = await Promise.all(rows.map((row) => desiredOf(db, row, 'before')));
    const seen = (await provider.observeSftpStorages?.(desired)) ?? new Map<string, ObservedSftpStorage>();
    for (const row of rows) {
      const report = seen.get(String(row.id))?.report;
      if (!report) continue;
      await count(row, report);
      await provider.acknowledge?.(String(row.id), report.id);
    }
  }
}
