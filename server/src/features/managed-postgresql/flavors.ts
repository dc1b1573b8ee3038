import type { Flavor } from './model.ts';

const MIB_PER_GIB = 1024;
const CONNECTIONS_PER_GIB = 50;
const MOST_CONNECTIONS = 500;

/** Settings that follow from a flavor, in the order in which they are written. What a cluster's own `pg_conf` says
 *  comes after them, and counts. */
export function settingsOf({ cpu, memory_gib: memory }: Flavor): Readonly<Record<string, string>> {
  const mib = memory * MIB_PER_GIB;
  const connections = Math.min(MOST_CONNECTIONS, memory * CONNECTIONS_PER_GIB);
  return {
    max_connections: String(connections),
    shared_buffers: `${mib / 4}MB`,
    effective_cache_size: `${(mib * 3) / 4}MB`,
    maintenance_work_mem: `${Math.min(1024, mib / 16)}MB`,
    work_mem: `${Math.max(4, Math.floor(mib / 2 / connections))}MB`,
    max_worker_processes: String(Math.max(8, cpu)),
    max_parallel_workers: String(cpu),
    max_parallel_workers_per_gather: String(Math.max(1, Math.floor(cpu / 2))),
  };
}

export const confOf = (flavor: Flavor): string =>
  Object.entries(settingsOf(flavor))
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('');
