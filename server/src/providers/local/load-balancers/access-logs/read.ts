import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type {
  AccessLogLine,
  AccessLogSeen,
  AccessLogWanted,
} from '../../../../features/load-balancers/port.ts';
import { MOST_KEPT } from './file.ts';

/** The end of an access log, for people to look at. */

const CHUNK = 64 * 1024;
/** As much as one look reads at most, from the end. */
const MOST_BYTES = 2 * 1024 * 1024;
const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const LINE = /^(\S+) (\S+) \[[^\]]*\] (\S+) ([^\s/]+)\/(\S+) (\S+) (.*)$/;
const HTTP = /^(\d{3}|-1) ([+\d]+) .*?"(.*)"?$/;
const BREAK = 0x0a;

/** The last lines that are as wanted, the oldest first.
 *  @returns null: there is no such log here */
export function readAccessLog(path: string, wanted: AccessLogWanted): AccessLogSeen | null {
  const lines: AccessLogLine[] = [];
  let budget = MOST_BYTES;
  let isAll = true;
  let exists = false;
  for (let number = 0; number <= MOST_KEPT && lines.length < wanted.limit; number += 1) {
    const file = number === 0 ? path : `${path}.${number}`;
    const size = statSync(file, { throwIfNoEntry: false })?.size;
    if (size === undefined) break;
    exists = true;
    const read = fromEnd(file, Math.min(size, budget), size, (text) => {
      if (hasText(text, wanted)) {
        const line = parseLine(text);
        if (hasStatus(line, wanted)) lines.push(line);
      }
      return lines.length < wanted.limit;
    });
    budget -= read;
    isAll = read === size && lines.length < wanted.limit;
    if (!isAll) break;
  }
  return exists ? { lines: lines.reverse(), isAll } : null;
}

/** Gives whole lines, the last one first, until enough is said. @returns how many bytes it went through */
function fromEnd(path: string, most: number, size: number, take: (line: string) => boolean): number {
  const file = openSync(path, 'r');
  try {
    let rest = Buffer.alloc(0);
    let read = 0;
    while (read < most) {
      const length = Math.min(CHUNK, most - read);
      const chunk = Buffer.alloc(length);
      readSync(file, chunk, 0, length, size - read - length);
      read += length;
      rest = Buffer.concat([chunk, rest]);
      // What stands before the first break may begin in what was not read yet.
      const first = read === size ? -1 : rest.indexOf(BREAK);
      if (first < 0 && read < size) continue;
      const whole = rest
        .subarray(first + 1)
        .toString('utf8')
        .split('\n');
      rest = rest.subarray(0, first + 1);
      for (const line of whole.reverse()) if (line !== '' && !take(line)) return read;
    }
    return read;
  } finally {
    closeSync(file);
  }
}

/** What a line says; one of another form has its text alone. */
export function parseLine(text: string): AccessLogLine {
  const [, at, client, listener = '', pool = '', member = '', times = '', rest = ''] = LINE.exec(text) ?? [];
  const [, status, bytes, request] = HTTP.exec(rest) ?? [];
  const idIn = (name: string) => new RegExp(ID).exec(name)?.[0] ?? null;
  const took = Number(times.split('/').at(-1)?.replace('+', ''));
  return {
    at: at !== undefined && !Number.isNaN(Date.parse(at)) ? new Date(at).toISOString() : null,
    client: client ?? null,
    listener_id: idIn(listener),
    pool_id: idIn(pool),
    member_id: idIn(member),
    status: status === undefined || status === '-1' ? null : Number(status),
    bytes: Number(bytes ?? rest.split(' ')[0]) || null,
    milliseconds: Number.isFinite(took) && took >= 0 && times !== '' ? took : null,
    request: request?.replace(/"$/, '') ?? null,
    text,
  };
}

const hasText = (line: string, { text }: AccessLogWanted) =>
  text === null || line.toLowerCase().includes(text.toLowerCase());

function hasStatus({ status }: AccessLogLine, { statuses }: AccessLogWanted): boolean {
  if (statuses === null) return true;
  if (status === null) return false;
  return statuses.endsWith('xx')
    ? Math.floor(status / 100) === Number(statuses[0])
    : status === Number(statuses);
}
