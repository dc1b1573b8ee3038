import type { ImageProvider } from '../../features/images/port.ts';
import type { VolumeProvider } from '../../features/volumes/port.ts';
import type { Operation, Progress } from '../../kernel/operation.ts';
import { READY } from '../../kernel/operation.ts';
import { progressOf, type Range, type SimulationOptions } from './timing.ts';

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

const timedBy =
  (options: SimulationOptions) =>
  async (_what: unknown, operation: Operation): Promise<Progress> => {
    const range = DURATIONS[operation.type];
    return range ? progressOf(operation, range, options) : READY;
  };

/** Simulated volumes: real timing, no bytes. */
export function simulatedVolumes(options: SimulationOptions): VolumeProvider {
  const timed = timedBy(options);
  return {
    applyVolume: timed,
    removeVolume: timed,
    applySnapshot: timed,
    removeSnapshot: timed,
    changeContents: timed,
  };
}

/** Simulated images, made from simulated volumes. */
export function simulatedImages(options: SimulationOptions): ImageProvider {
  const timed = timedBy(options);
  return { applyImage: timed, removeImage: timed };
}
