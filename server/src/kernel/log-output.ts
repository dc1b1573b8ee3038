import { writeSync } from 'node:fs';
import { stdTimeFunctions } from 'pino';

/** So long a reader of a full pipe is waited for, in all. */
const PATIENCE_MS = 1000;
const STEP_MS = 20;
const WARN = 40;

/** Where the log goes: a file, a terminal or a pipe. A line that cannot be written is dropped and counted, since a
 *  server whose disk is full, or whose log nobody reads any more, still serves. */
export class LogOutput {
  readonly #fd: number;
  readonly #write: (fd: number, bytes: Buffer) => number;
  #dropped = 0;
  /** As the next line that can be written says. */
  #unreported = 0;
  /** The last line is there in part. */
  #isCut = false;

  /** @param write as `writeSync` */
  constructor(fd: number, write: (fd: number, bytes: Buffer) => number = writeSync) {
    this.#fd = fd;
    this.#write = write;
  }

  /** Lines since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  /** @param line with its line feed; never throws */
  write(line: string): void {
    try {
      if (this.#isCut) this.#writeAll('\n');
      this.#isCut = false;
      if (this.#unreported > 0) this.#writeAll(notice(this.#unreported));
      this.#unreported = 0;
      this.#writeAll(line);
    } catch {
      this.#dropped++;
      this.#unreported++;
    }
  }

  #writeAll(text: string): void {
    let rest = Buffer.from(text);
    let waitedMs = 0;
    while (rest.length > 0) {
      try {
        rest = rest.subarray(this.#write(this.#fd, rest));
        this.#isCut = rest.length > 0;
      } catch (error) {
        // Whoever has not read for that long is not waited for again with every line.
        const isFull = (error as NodeJS.ErrnoException).code === 'EAGAIN' && this.#unreported === 0;
        if (!isFull || waitedMs >= PATIENCE_MS) throw error;
        waitedMs += STEP_MS;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STEP_MS);
      }
    }
  }
}

const notice = (lines: number) =>
  `{"level":${WARN}${stdTimeFunctions.isoTime()},"msg":"${lines} lines of the log could not be written"}\n`;

const ignore = () => {};

/** Prints lines for people; those that cannot be written are dropped. */
export function print(to: 'log' | 'error', ...lines: readonly string[]): void {
  const stream = to === 'log' ? process.stdout : process.stderr;
  // Some kinds of output fail at once, others later.
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
  try {
    for (const line of lines) stream.write(`${line}\n`);
  } catch {
    // Nobody can be told.
  }
}
