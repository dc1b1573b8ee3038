import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/ids.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db } from '../../platform/database/db.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import type { Prices } from '../../platform/prices/prices.ts';
import { requireProvider } from '../../platform/tasks/providers.ts';
import type { TaskReads } from '../tasks/index.ts';
import type { ImageSource } from './images.ts';
import type { VolumeProvider } from './port.ts';

/** What the feature is given, and what its services share. */
export interface VolumeDeps {
  providerOf(regionId: number): VolumeProvider | undefined;
  /** Types of volumes that the region offers; empty: all. */
  typesOf(regionId: number): readonly string[];
  readonly images: ImageSource;
  readonly tasks: TaskReads;
  readonly prices: Prices;
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  regionIds(): readonly number[];
}

/** @throws Forbidden when the region has no volumes */
export function requireVolumes(
  deps: Pick<VolumeDeps, 'providerOf'>,
  ctx: Pick<RegionContext, 'region'>,
): void {
  requireProvider(deps, ctx.region, 'volumes');
}
