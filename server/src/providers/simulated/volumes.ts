import type { ImageProvider } from '../../features/images/port.ts';
import type { VolumeProvider } from '../../features/volumes/port.ts';
import type { Operation } from '../../kernel/operation.ts';
import { type Range, type SimulationOptions, timedBy } from './timing.ts';

/** Seconds at time scale 1. Whatever else concerns volumes and images is part of another operation, whose time it
 *  takes, or undoes something. */
const DURATIONS: Readonly<Record<string, Range>> = {
  create_volume: [5, 15],
  delete_volume: [3, 8],
  attach_volume: [2, 6],
  detach_volume: [2, 6],
  extend_volume: [3, 8],
  retype_volume: [5, 15],
  revert_volume: [5, 15],
  create_snapshot: [3, 10],
  delete_snapshot: [2, 6],
  create_image: [20, 60],
  download_image: [20, 60],
  delete_image: [2, 6],
};

const timed = (options: SimulationOptions) => {
  const progress = timedBy(options, DURATIONS);
  return (_what: unknown, operation: Operation) => progress(operation);
};

/** Simulated volumes: real timing, no bytes. */
export function simulatedVolumes(options: SimulationOptions): VolumeProvider {
  const work = timed(options);
  return {
    applyVolume: work,
    removeVolume: work,
    applySnapshot: work,
    removeSnapshot: work,
    changeContents: work,
  };
}

/** Simulated images, made from simulated volumes. */
export function simulatedImages(options: SimulationOptions): ImageProvider {
  const work = timed(options);
  return { applyImage: work, removeImage: work };
}
