import { createHash } from 'node:crypto';
import type { PostgresqlProvider } from '../../features/managed-postgresql/port.ts';
import { settingFaults, VERSIONS } from './postgresql-settings.ts';
import { type Range, type SimulationOptions, timedBy } from './timing.ts';

/** Seconds at time scale 1. */
const DURATIONS: Readonly<Record<string, Range>> = {
  create_dbaas_postgres_cluster: [60, 180],
  update_dbaas_postgres_cluster: [10, 40],
  regenerate_dbaas_postgres_credentials: [1, 2],
  delete_dbaas_postgres_cluster: [10, 30],
};

/** CPUs and GiB of memory. */
const FLAVORS = [
  [1, 2],
  [1, 4],
  [2, 4],
  [2, 8],
  [4, 8],
  [4, 16],
  [8, 16],
  [8, 32],
  [16, 64],
] as const;

/** Simulated PostgreSQL: real timing, real credentials, no servers. */
export function simulatedPostgresql(options: SimulationOptions): PostgresqlProvider {
  const timed = timedBy(options, DURATIONS);
  return {
    offer: async () => ({
      versions: VERSIONS,
      storageClasses: ['ssd-hiiops', 'ssd-lowlatency', 'standard'],
      flavors: FLAVORS.map(([cpu, memory_gib]) => ({ cpu, memory_gib })),
      noHighAvailability: null,
      noPooler: null,
      createRoleFrom: null,
      noMajorUpgrade: null,
      noBackups: 'simulated clusters have no data',
    }),
    confFaults: async (version, { settings }) => settingFaults(version, settings),
    // 198.18.0.0/15 is set apart for benchmarks: it leads nowhere.
    hostOf: async (clusterId) => {
      const digest = createHash('sha256')
        .update(JSON.stringify([options.seed, clusterId]))
        .digest();
      const host = 1 + (digest.readUInt32BE(0) % 131_070);
      return `198.${18 + (host >> 16)}.${(host >> 8) & 255}.${host & 255}`;
    },
    applyCluster: async (_desired, _change, operation) => timed(operation),
    removeCluster: async (_id, operation) => timed(operation),
  };
}
