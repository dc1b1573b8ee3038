import type { SftpStorageProvider } from '../../features/sftp-storages/port.ts';
import { type Range, type SimulationOptions, timedBy } from './timing.ts';

/** Seconds at time scale 1. */
const DURATIONS: Readonly<Record<string, Range>> = {
  create_sftp_storage: [5, 15],
  update_sftp_storage: [1, 2],
  delete_sftp_storage: [2, 5],
};

/** Simulated storages: real timing, real passwords, no servers. */
export function simulatedSftpStorage(options: SimulationOptions): SftpStorageProvider {
  const timed = timedBy(options, DURATIONS);
  return {
    unavailable: () => undefined,
    // A name that leads nowhere, by the rules of the internet.
    addressOf: async (id) => `sftp://sftp-${id}.virga.invalid`,
    applySftpStorage: async (_desired, operation) => timed(operation),
    removeSftpStorage: async (_removed, operation) => timed(operation),
  };
}
