import { type ObjectStorageProvider, RESTORE_STORAGE } from '../../features/object-storage/port.ts';
import { READY } from '../../kernel/operation.ts';
import { progressOf, type Range, type SimulationOptions } from './timing.ts';

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
  const timed = (operation: Parameters<typeof progressOf>[0]) => {
    const range = operation.type === RESTORE_STORAGE ? undefined : DURATIONS[operation.type];
    return range ? progressOf(operation, range, options) : READY;
  };
  return {
    unavailable: () => undefined,
    // A name that leads nowhere, by the rules of the internet.
    addressOf: async (id) => `https://s3-${id}.virga.invalid`,
    applyStorage: async (_desired, _change, operation) => timed(operation),
    removeStorage: async (_removed, operation) => timed(operation),
  };
}
