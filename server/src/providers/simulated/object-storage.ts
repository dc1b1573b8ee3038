import type { ObjectStorageProvider } from '../../features/object-storage/port.ts';
import { type Range, type SimulationOptions, timedBy } from './timing.ts';

/** Seconds at time scale 1. */
const DURATIONS: Readonly<Record<string, Range>> = {
  create_object_storage: [5, 15],
  restore_object_storage: [5, 15],
  delete_object_storage: [2, 5],
  create_storage_access_key: [1, 2],
  delete_storage_access_key: [1, 2],
  create_storage_bucket: [1, 2],
  update_storage_bucket: [1, 2],
  delete_storage_bucket: [1, 2],
};

/** Simulated storages: real timing, real keys, no servers. */
export function simulatedObjectStorage(options: SimulationOptions): ObjectStorageProvider {
  const timed = timedBy(options, DURATIONS);
  return {
    unavailable: () => undefined,
    // A name that leads nowhere, by the rules of the internet.
    addressOf: async (id) => `https://s3-${id}.virga.invalid`,
    applyStorage: async (_desired, _change, operation) => timed(operation),
    removeStorage: async (_removed, operation) => timed(operation),
  };
}
