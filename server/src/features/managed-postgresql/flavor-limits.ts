import { settingsOf } from './flavors.ts';
import type { Flavor } from './model.ts';
import type { ConfLine } from './port.ts';

/** What a `pg_conf` may ask for at most, so that a cluster has no more than its flavor. */

const BYTES: Readonly<Record<string, number>> = {
  B: 1,
  kB: 2 ** 10,
  MB: 2 ** 20,
  GB: 2 ** 30,
  TB: 2 ** 40,
};
const GIB = 2 ** 30;
const MIB = 2 ** 20;
const BLOCK = 8192;

/** Bytes that a number without a unit stands for, and the part of the memory that it may be. */
const MEMORY: Readonly<Record<string, readonly [unit: number, share: number]>> = {
  autovacuum_work_mem: [2 ** 10, 1 / 4],
  commit_timestamp_buffers: [BLOCK, 1 / 16],
  logical_decoding_work_mem: [2 ** 10, 1 / 4],
  maintenance_work_mem: [2 ** 10, 1 / 4],
  min_dynamic_shared_memory: [2 ** 20, 1 / 4],
  multixact_member_buffers: [BLOCK, 1 / 16],
  multixact_offset_buffers: [BLOCK, 1 / 16],
  notify_buffers: [BLOCK, 1 / 16],
  serializable_buffers: [BLOCK, 1 / 16],
  shared_buffers: [BLOCK, 1 / 2],
  subtransaction_buffers: [BLOCK, 1 / 16],
  temp_buffers: [BLOCK, 1 / 4],
  transaction_buffers: [BLOCK, 1 / 16],
  vacuum_buffer_usage_limit: [2 ** 10, 1 / 4],
  wal_buffers: [BLOCK, 1 / 16],
  work_mem: [2 ** 10, 1 / 4],
};

/** Each of them is a process, or uses shared memory for each connection. */
const COUNTS: Readonly<Record<string, number>> = {
  autovacuum_max_workers: 16,
  autovacuum_worker_slots: 32,
  max_locks_per_transaction: 1024,
  max_logical_replication_workers: 16,
  max_parallel_workers: 64,
  max_pred_locks_per_transaction: 1024,
  max_worker_processes: 64,
};
/** They may be as many as the connections. */
const AS_CONNECTIONS = new Set(['max_connections', 'max_prepared_transactions']);

const NUMBER = /^\s*([+-]?(?:0x[0-9a-f]+|[\d.]+(?:e[+-]?\d+)?))\s*([A-Za-z]*)\s*$/i;

/** What asks for more than the flavor has, each fault with its line. */
export function flavorFaults(flavor: Flavor, settings: readonly ConfLine[]): string[] {
  return settings.flatMap(({ line, name, value }) => {
    const fault = faultOf(flavor, name, value);
    return fault === undefined ? [] : [`line ${line}: ${name} ${fault}`];
  });
}

function faultOf(flavor: Flavor, name: string, value: string): string | undefined {
  const [, digits, unit = ''] = NUMBER.exec(value) ?? [];
  const memory = MEMORY[name];
  const most = AS_CONNECTIONS.has(name) ? Number(settingsOf(flavor).max_connections) : COUNTS[name];
  if (memory === undefined && most === undefined) return undefined;
  const amount = Number(digits);
  if (digits === undefined || Number.isNaN(amount)) return 'must be a number';
  if (most !== undefined)
    return amount > most ? `must be at most ${most} with ${describe(flavor)}` : undefined;
  if (memory === undefined) return undefined;
  const [ownUnit, share] = memory;
  const bytes = amount * (unit === '' ? ownUnit : (BYTES[unit] ?? Number.POSITIVE_INFINITY));
  const limit = flavor.memory_gib * GIB * share;
  return bytes > limit ? `must be at most ${limit / MIB}MB with ${describe(flavor)}` : undefined;
}

const describe = ({ cpu, memory_gib: memory }: Flavor) => `a flavor of ${cpu} CPU and ${memory} GiB`;
