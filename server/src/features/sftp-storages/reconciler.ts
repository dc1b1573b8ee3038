import type { Db } from '../../platform/database/db.ts';
import { inOwnRegions, type OwnRegions } from '../../platform/owners/own-regions.ts';
import {
  endPaused,
  hasAddress,
  noteServing,
  type StorageReport,
  type WithAddress,
} from '../object-storage/index.ts';
import type { SftpRow } from './model.ts';
import type { DesiredSftpStorage, SftpStorageProvider } from './port.ts';
import { storages } from './store.ts';
import { desiredOf } from './tasks.ts';

export interface SftpKeeperDeps extends OwnRegions<SftpStorageProvider> {
  readonly db: Db;
  /** Counts what was used of a storage, each report once. */
  count(storage: WithAddress<SftpRow>, report: StorageReport): Promise<void>;
}

/** Looks after storages that are real: what died is started, and what was used is counted. */
export const keepSftpStorages = (deps: SftpKeeperDeps): Promise<void> =>
  inOwnRegions(deps, 'SFTP storages', async (regionId, provider) => {
    if (!provider.observeSftpStorages) return;
    const { db, count } = deps;
    const rows = new Map<string, WithAddress<SftpRow>>();
    const desired = async (id: string): Promise<DesiredSftpStorage | undefined> => {
      const row = await storages.findRunning(db, id);
      if (!row || !hasAddress(row)) return undefined;
      rows.set(id, row);
      return desiredOf(db, row, 'before');
    };
    await endPaused(db, storages, regionId, (id) => provider.pause?.(id));
    const seen = await provider.observeSftpStorages(await storages.runningIds(db, regionId), desired);
    for (const [id, row] of rows) {
      const observed = seen.get(id);
      const served = observed && (await noteServing(db, { storages, noun: 'sftp_storage' }, row, observed));
      const report = served?.report;
      if (!report) continue;
      await count(row, report);
      await provider.acknowledge?.(id, report.id);
    }
  });
