import { ADMIN } from './configuration.ts';
import type { Server } from './server.ts';

/** What becomes of a cluster whose storage fills up. */

/** Shares of the storage: from the first on, databases can only be read; below the second they can be written again. */
const FULL = 0.95;
const SPARE = 0.9;
/** The share by which it may still grow then, while somebody deletes. */
const SLACK = 0.05;
/** Bytes in a second: faster than disks are expected to be written. */
const FASTEST = 500 * 2 ** 20;
const LONGEST_PAUSE_MS = 10_000;
const SHORTEST_PAUSE_MS = 900;

/** A storage that is full. Sessions are read-only from then on unless they say otherwise, which they may in order to
 *  delete; when it grows nonetheless, nobody is let in any more. */
export interface Full {
  /** Bytes from which its growth is counted. */
  readonly mark: number;
  readonly isClosed: boolean;
  /** Sessions of before it have not been ended yet. */
  readonly isPending?: boolean;
}

/** @param size of the storage in bytes
 *  @returns undefined: there is room */
export function judge(before: Full | undefined, used: number, size: number): Full | undefined {
  if (used <= size * (before ? SPARE : FULL)) return undefined;
  const mark = Math.max(before?.mark ?? used, size);
  return { mark, isClosed: used > mark + (before?.isClosed ? 0 : size * SLACK) };
}

export function describe(full: Full | undefined): string | null {
  if (!full) return null;
  return full.isClosed
    ? 'The storage is full, and was written to all the same: nobody may connect until it is larger'
    : 'The storage is full: databases can only be read until something is deleted or it is larger';
}

/** How soon to look again: before it could be full. */
export function pauseUntilNextLook(used: number, size: number): number {
  const ms = ((size * FULL - used) / FASTEST) * 1000;
  return Math.max(SHORTEST_PAUSE_MS, Math.min(LONGEST_PAUSE_MS, ms));
}

const OTHERS = `backend_type = 'client backend' and usename is distinct from '${ADMIN}'`;
const END_WRITERS = `select pg_catalog.pg_terminate_backend(pid) from pg_catalog.pg_stat_activity where ${OTHERS} and backend_xid is not null`;
const END_ALL = `select pg_catalog.pg_terminate_backend(pid) from pg_catalog.pg_stat_activity where ${OTHERS}`;

/** Ends those who began to write before that was forbidden, or everybody. */
export async function endSessions(server: Server, { isClosed }: Full): Promise<void> {
  await server.asking('postgres', async (client) => {
    await client.query(isClosed ? END_ALL : END_WRITERS);
    // What the log of changes uses beyond need goes.
    await client.query('checkpoint');
  });
}
