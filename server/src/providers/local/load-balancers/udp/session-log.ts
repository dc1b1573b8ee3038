import { closeSync, fstatSync, openSync, readSync, truncateSync } from 'node:fs';
import type { ListenerStats } from '../../../../features/load-balancers/port.ts';

const LARGEST_FILE = 8 * 1024 * 1024;
const LARGEST_READ = 4 * 1024 * 1024;

/** Reads what nginx wrote about ended sessions since `offset`, and counts it. The file is emptied
 *  once it has become large and all of it has been read.
 *  @returns the counts by listener id, and where to go on next time */
export function readSessions(
  path: string,
  offset: number,
): { counts: Map<string, ListenerStats>; offset: number } {
  const counts = new Map<string, ListenerStats>();
  const read = readFrom(path, offset);
  if (read === null) return { counts, offset: 0 };
  for (const line of read.text.split('\n')) count(counts, line);
  const next = read.from + Buffer.byteLength(read.text);
  if (next < LARGEST_FILE || next < read.size) return { counts, offset: next };
  truncateSync(path, 0);
  return { counts, offset: 0 };
}

function count(counts: Map<string, ListenerStats>, line: string): void {
  const [listener, received, sent, status] = line.split(' ');
  if (!listener || status === undefined) return;
  const sum = counts.get(listener);
  counts.set(listener, {
    activeConnections: 0,
    bytesIn: (sum?.bytesIn ?? 0) + Number(received),
    bytesOut: (sum?.bytesOut ?? 0) + Number(sent),
    requestErrors: (sum?.requestErrors ?? 0) + (status === '200' ? 0 : 1),
    totalConnections: (sum?.totalConnections ?? 0) + 1,
  });
}

/** Whole lines only: the last one may still be being written. */
function readFrom(path: string, offset: number): { text: string; from: number; size: number } | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return null;
  }
  try {
    const { size } = fstatSync(file);
    const from = offset > size ? 0 : offset;
    const buffer = Buffer.alloc(Math.min(size - from, LARGEST_READ));
    const length = readSync(file, buffer, 0, buffer.length, from);
    const end = buffer.subarray(0, length).lastIndexOf('\n'.charCodeAt(0)) + 1;
    return { text: buffer.toString('latin1', 0, end), from, size };
  } finally {
    closeSync(file);
  }
}
