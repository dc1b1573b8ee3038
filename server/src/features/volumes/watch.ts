import { sql } from '../../platform/database/sql.ts';
import { conditionWatch } from '../../platform/drift/condition-watch.ts';
import type { DriftOptions } from '../../platform/drift/reconciler.ts';
import type { BackgroundJob } from '../../platform/feature.ts';
import type { VolumeProvider } from './port.ts';

type WatchOptions = DriftOptions & { providerOf(regionId: number): VolumeProvider | undefined };

/** Says of volumes when they are lost or of no use, where somebody else can delete and break them, too. */
export const volumeWatch = (options: WatchOptions): BackgroundJob =>
  conditionWatch(options, {
    table: 'volumes',
    noun: 'volume',
    well: ['available', 'in-use'],
    isWell: sql`case when instance_id is null then 'available' else 'in-use' end`,
    watchableOf: (regionId) => options.providerOf(regionId)?.condition,
  });

/** The same of snapshots. */
export const snapshotWatch = (options: WatchOptions): BackgroundJob =>
  conditionWatch(options, {
    table: 'volume_snapshots',
    noun: 'snapshot',
    well: ['available'],
    isWell: sql`'available'`,
    watchableOf: (regionId) => options.providerOf(regionId)?.snapshotCondition,
  });
