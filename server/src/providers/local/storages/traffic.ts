import { closeSync, fstatSync, openSync, readSync, truncateSync } from 'node:fs';

/** Reads what the gateway has written of each request. */

export interface BucketTraffic {
  requestsIn: number;
  requestsOut: number;
  trafficIn: number;
  trafficOut: number;
}

/** By bucket; what concerns no bucket has the name ''. */
export type Traffic = ReadonlyMap<string, Readonly<BucketTraffic>>;

/** What is read at once, some 10,000 requests, so that no other work waits for long: a backlog takes several looks. */
const MOST_BYTES = 1024 * 1024;
/** A log that was read to its end and is longer is emptied. */
const LARGEST_LOG = 16 * 1024 * 1024;

/** @param from where an earlier look has ended
 *  @param sumOf adds up whole lines
 *  @returns where this one has ended: after a whole line */
export function readTraffic(
  path: string,
  from: number,
  sumOf: (text: string) => Traffic,
): { readonly traffic: Traffic; readonly end: number } {
  const { text, start } = read(path, from);
  const whole = text.subarray(0, text.lastIndexOf('\n') + 1);
  return { traffic: sumOf(whole.toString('utf8')), end: start + whole.length };
}

/** Empties a log whose lines are all counted, when it has grown large. @returns where the next look begins */
export function shorten(path: string, end: number, largest = LARGEST_LOG): number {
  const file = openSync(path, 'r');
  try {
    if (end < largest || fstatSync(file).size !== end) return end;
  } finally {
    closeSync(file);
  }
  // What writes it appends, and goes on at the new end.
  truncateSync(path, 0);
  return 0;
}

function read(path: string, from: number): { text: Buffer; start: number } {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return { text: Buffer.alloc(0), start: 0 };
  }
  try {
    const { size } = fstatSync(file);
    // It was emptied, and nobody could note that.
    const start = from > size ? 0 : from;
    const text = Buffer.alloc(Math.min(MOST_BYTES, size - start));
    const count = readSync(file, text, 0, text.length, start);
    return { text: text.subarray(0, count), start };
  } finally {
    closeSync(file);
  }
}
