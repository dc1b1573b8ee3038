import type { RegionContext } from '../../platform/http/context.ts';
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
}

/** @throws Forbidden when the region has no volumes */
export function requireVolumes(deps: Pick<VolumeDeps, 'providerOf'>, ctx: RegionContext): void {
  requireProvider(deps, ctx.region, 'volumes');
}
