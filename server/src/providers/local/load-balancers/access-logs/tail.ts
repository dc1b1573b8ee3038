import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { readJson, writeFileAtomically } from '../../../../kernel/files.ts';
import { MOST_KEPT } from './file.ts';

/** A place in a log that moves (`access.log` to `.1`, `.1` to `.2` …): the beginning of the file, which has a time
 *  to the microsecond and so is its own, and how far into it. */
export interface LogPosition {
  /** Empty: the file that comes after the one that `after` is the beginning of. */
  readonly head: string;
  readonly offset: number;
  readonly after: string;
}

export interface LogChunk {
  readonly lines: readonly string[];
  readonly next: LogPosition;
  /** What stood at the position has been dropped for its age before it was read. */
  readonly lost: boolean;
}

const HEAD_BYTES = 48;
const MOST_BYTES = 64 * 1024;
const BREAK = 0x0a;

/** Reads an access log line by line, across its moves and across restarts. */
export class LogTail {
  readonly #path: string;
  readonly #savedAt: string;
  #position: LogPosition;
  #saved: LogPosition | null;
  #seen = '';

  /** Goes on where an earlier server stopped, or begins at the end of what is there.
   *  @param savedAt file in which the position is kept */
  constructor(path: string, savedAt: string) {
    this.#path = path;
    this.#savedAt = savedAt;
    this.#saved = readJson<LogPosition>(savedAt);
    this.#position = this.#saved ?? this.#at(0, sizeOf(path));
  }

  get position(): LogPosition {
    return this.#position;
  }

  moveTo(position: LogPosition): void {
    this.#position = position;
    this.#seen = '';
  }

  /** The next whole lines, at most 64 KiB, or null: there are none yet. It does not move. */
  next(): LogChunk | null {
    const look = lookOf(this.#path);
    if (look === this.#seen) return null;
    const chunk = this.#next();
    if (chunk === null) this.#seen = look;
    return chunk;
  }

  /** Keeps the position for the next server. */
  save(): void {
    const { head, offset, after } = this.#position;
    if (this.#saved?.head === head && this.#saved.offset === offset && this.#saved.after === after) return;
    writeFileAtomically(this.#savedAt, JSON.stringify(this.#position));
    this.#saved = this.#position;
  }

  #next(): LogChunk | null {
    const { head, after } = this.#position;
    const found = head === '' ? this.#successorOf(after) : this.#find(head);
    const lost = found === null;
    const began = found ?? this.#oldest();
    let offset = lost ? 0 : this.#position.offset;
    let number = began;
    for (; number >= 0; number -= 1, offset = 0) {
      const { lines, end } = readLines(this.#file(number), offset);
      // Also without lines: what is read to its end need not be found again.
      const isNewest = number === 0 && (lost || began > 0);
      if (lines.length > 0 || isNewest) return { lines, next: this.#at(number, end), lost };
    }
    return null;
  }

  #at(number: number, offset: number): LogPosition {
    const head = headOf(this.#file(number));
    return head === ''
      ? { head, offset: 0, after: headOf(this.#file(number + 1)) }
      : { head, offset, after: '' };
  }

  /** The file after that one; where there was none, the oldest. */
  #successorOf(head: string): number {
    const found = head === '' ? null : this.#find(head);
    return found === null ? this.#oldest() : Math.max(found - 1, 0);
  }

  #file(number: number): string {
    return number === 0 ? this.#path : `${this.#path}.${number}`;
  }

  #find(head: string): number | null {
    for (let number = 0; number <= MOST_KEPT; number += 1) {
      const path = this.#file(number);
      if (headOf(path) === head) return number;
      if (number > 0 && sizeOf(path) === 0) return null;
    }
    return null;
  }

  #oldest(): number {
    let number = 0;
    while (number < MOST_KEPT && sizeOf(this.#file(number + 1)) > 0) number += 1;
    return number;
  }
}

/** Whether anything was written, without opening the file. */
function lookOf(path: string): string {
  const { size = 0, mtimeMs = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return `${size} ${mtimeMs}`;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function headOf(path: string): string {
  const bytes = readAt(path, 0, HEAD_BYTES);
  const end = bytes.indexOf(BREAK);
  if (end !== -1) return bytes.toString('latin1', 0, end + 1);
  return bytes.length === HEAD_BYTES ? bytes.toString('latin1') : '';
}

function readLines(path: string, offset: number): { lines: string[]; end: number } {
  const bytes = readAt(path, offset, MOST_BYTES);
  const length = bytes.lastIndexOf(BREAK) + 1;
  if (length === 0) return { lines: [], end: offset };
  return { lines: bytes.toString('utf8', 0, length - 1).split('\n'), end: offset + length };
}

function readAt(path: string, offset: number, most: number): Buffer {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return Buffer.alloc(0);
  }
  try {
    const buffer = Buffer.allocUnsafe(most);
    return buffer.subarray(0, readSync(file, buffer, 0, most, offset));
  } finally {
    closeSync(file);
  }
}
