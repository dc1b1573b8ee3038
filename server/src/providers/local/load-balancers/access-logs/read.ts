import { type FileHandle, open } from 'node:fs/promises';
import type {
  AccessLogFilter,
  AccessLogLine,
  AccessLogSeen,
} from '../../../../features/load-balancers/port.ts';
import { MOST_KEPT } from './file.ts';

/** The end of an access log, for people to look at. It is read in small parts, with other work in between: a request
 *  that looks for something rare does not keep others waiting. */

/** What is read and looked through at once. */
export const CHUNK_BYTES = 64 * 1024;
/** As much as one look reads at most, from the end. */
const MOST_BYTES = 2 * 1024 * 1024;
const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
const LINE = /^(\S+) (\S+) \[[^\]]*\] (\S+) ([^\s/]+)\/(\S+) (\S+) (.*)$/;
const HTTP = /^(\d{3}|-1) ([+\d]+) .*?"(.*)"?$/;
const BREAK = 0x0a;

/** The last lines that match, the oldest first.
 *  @returns null: there is no such log here */
export async function readAccessLog(path: string, filter: AccessLogFilter): Promise<AccessLogSeen | null> {
  const lines: AccessLogLine[] = [];
  const matches = matcherOf(filter);
  let budget = MOST_BYTES;
  let isAll = true;
  let exists = false;
  for (let number = 0; number <= MOST_KEPT && lines.length < filter.limit; number += 1) {
    const read = await fromEnd(number === 0 ? path : `${path}.${number}`, budget, (text) => {
      const line = matches(text);
      if (line) lines.push(line);
      return lines.length < filter.limit;
    });
    if (read === undefined) break;
    exists = true;
    budget -= read.bytes;
    isAll = read.isWhole && lines.length < filter.limit;
    if (!isAll) break;
  }
  return exists ? { lines: lines.reverse(), isAll } : null;
}

interface Read {
  readonly bytes: number;
  /** Whether the file was read to its beginning. */
  readonly isWhole: boolean;
}

/** Gives whole lines, the last one first, until enough is said. @returns undefined: there is no such file */
async function fromEnd(
  path: string,
  most: number,
  isMoreNeeded: (line: string) => boolean,
): Promise<Read | undefined> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return undefined;
  try {
    return await linesFromEnd(file, most, isMoreNeeded);
  } finally {
    await file.close();
  }
}

async function linesFromEnd(
  file: FileHandle,
  most: number,
  isMoreNeeded: (line: string) => boolean,
): Promise<Read> {
  const { size } = await file.stat();
  /** What stands before the first break may begin in what was not read yet. */
  let rest: Buffer[] = [];
  let bytes = 0;
  while (bytes < Math.min(size, most)) {
    const length = Math.min(CHUNK_BYTES, Math.min(size, most) - bytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - bytes - length);
    // The log was emptied meanwhile: what was in it has moved to the next file.
    if (bytesRead < length) return { bytes, isWhole: false };
    bytes += length;
    const first = bytes === size ? -1 : buffer.indexOf(BREAK);
    if (first < 0 && bytes < size) {
      rest.unshift(buffer);
      continue;
    }
    const whole = Buffer.concat([buffer.subarray(first + 1), ...rest]).toString('utf8');
    rest = [buffer.subarray(0, first + 1)];
    for (const line of whole.split('\n').reverse())
      if (line !== '' && !isMoreNeeded(line)) return { bytes, isWhole: false };
  }
  return { bytes, isWhole: bytes === size };
}

/** What a line says; one of another form has its text alone. */
export function parseLine(text: string): AccessLogLine {
  const [, at, client, listener = '', pool = '', member = '', times = '', rest = ''] = LINE.exec(text) ?? [];
  const [, status, bytes, request] = HTTP.exec(rest) ?? [];
  const total = Number(times.split('/').at(-1)?.replace('+', ''));
  return {
    at: at !== undefined && !Number.isNaN(Date.parse(at)) ? new Date(at).toISOString() : null,
    client: client ?? null,
    listener_id: idIn(listener),
    pool_id: idIn(pool),
    member_id: idIn(member),
    status: status === undefined || status === '-1' ? null : Number(status),
    bytes: Number(bytes ?? rest.split(' ')[0]) || null,
    milliseconds: Number.isFinite(total) && total >= 0 && times !== '' ? total : null,
    request: request?.replace(/"$/, '') ?? null,
    text,
  };
}

const idIn = (name: string) => ID.exec(name)?.[0] ?? null;

/** Gives what a line says, when it is one of those that are asked for. */
function matcherOf({ statuses, text }: AccessLogFilter): (line: string) => AccessLogLine | undefined {
  const part = text?.toLowerCase();
  return (line) => {
    if (part !== undefined && !line.toLowerCase().includes(part)) return undefined;
    const parsed = parseLine(line);
    return hasStatus(parsed, statuses) ? parsed : undefined;
  };
}

function hasStatus({ status }: AccessLogLine, statuses: string | null): boolean {
  if (statuses === null) return true;
  if (status === null) return false;
  return statuses.endsWith('xx')
    ? Math.floor(status / 100) === Number(statuses[0])
    : status === Number(statuses);
}
