import { sql } from '../../platform/database/sql.ts';
import { conditionWatch } from '../../platform/drift/condition-watch.ts';
import type { DriftOptions } from '../../platform/drift/reconciler.ts';
import type { BackgroundJob } from '../../platform/feature.ts';
import type { ImageDeps } from './service.ts';

/** Says of images when they are lost or of no use, where somebody else can delete and break them, too. */
export const imageWatch = (options: ImageDeps & DriftOptions): BackgroundJob =>
  conditionWatch(options, {
    table: 'images',
    noun: 'image',
    well: ['active'],
    isWell: sql`'active'`,
    watchableOf: (regionId) => options.providerOf(regionId)?.condition,
  });
