import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObservedCluster } from '../../../features/managed-postgresql/port.ts';
import type { Server } from './server.ts';

/** Where queries put aside what does not fit into memory: it goes with them, and has a limit of its own. */
const PASSING = 'pgsql_tmp';

/** Bytes that the files below a folder use. A file may go while it is looked at. */
export async function usedBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  let sum = 0;
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) sum += entry.name === PASSING ? 0 : await usedBytes(path);
    else sum += (await stat(path).catch(() => ({ size: 0 }))).size;
  }
  return sum;
}

const COUNTERS = `select sum(xact_commit)::bigint as committed, sum(xact_rollback)::bigint as rolled_back,
  sum(deadlocks)::bigint as deadlocks, sum(tup_returned)::bigint as returned, sum(tup_inserted)::bigint as inserted,
  sum(tup_updated)::bigint as updated, sum(tup_deleted)::bigint as deleted, sum(blks_read)::bigint as read,
  sum(blks_hit)::bigint as hit from pg_catalog.pg_stat_database`;
const CONNECTIONS = `select count(*) filter (where state = 'active') as active,
  count(*) filter (where state <> 'active') as idle, pg_catalog.current_setting('max_connections') as max
  from pg_catalog.pg_stat_activity where backend_type = 'client backend' and pid <> pg_catalog.pg_backend_pid()`;
const SIZES =
  'select datname as name, pg_catalog.pg_database_size(oid) as size from pg_catalog.pg_database where not datistemplate';

type Numbers = Readonly<Record<string, unknown>>;

/** Asks a server how it is.
 *  @param size of its storage in bytes */
export async function measure(server: Server, size: number): Promise<Omit<ObservedCluster, 'fault'>> {
  const used = await usedBytes(server.paths.data);
  return server.asking('postgres', async (client) => {
    const { rows: counters } = await client.query<Numbers>(COUNTERS);
    const { rows: connections } = await client.query<Numbers>(CONNECTIONS);
    const { rows: sizes } = await client.query<{ name: string; size: unknown }>(SIZES);
    const counted = (name: string) => Number(counters[0]?.[name] ?? 0);
    const connected = (name: string) => Number(connections[0]?.[name] ?? 0);
    return {
      databaseSizes: Object.fromEntries(sizes.map(({ name, size }) => [name, Number(size)])),
      metrics: {
        connections: { active: connected('active'), idle: connected('idle'), max: connected('max') },
        transactions: {
          committed: counted('committed'),
          rolled_back: counted('rolled_back'),
          deadlocks: counted('deadlocks'),
        },
        rows: {
          returned: counted('returned'),
          inserted: counted('inserted'),
          updated: counted('updated'),
          deleted: counted('deleted'),
        },
        blocks: { read: counted('read'), hit: counted('hit') },
        storage: { used_bytes: used, size_bytes: size },
      },
    };
  });
}

/** Of a server that nobody could ask.
 *  @param size of its storage in bytes */
export const unmeasured = (size: number): Omit<ObservedCluster, 'fault'> => ({
  databaseSizes: {},
  metrics: {
    connections: { active: 0, idle: 0, max: 0 },
    transactions: { committed: 0, rolled_back: 0, deadlocks: 0 },
    rows: { returned: 0, inserted: 0, updated: 0, deleted: 0 },
    blocks: { read: 0, hit: 0 },
    storage: { used_bytes: 0, size_bytes: size },
  },
});
