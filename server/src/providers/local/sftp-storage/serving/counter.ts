import { writeSync } from 'node:fs';
import type { Socket } from 'node:net';

/** Counts what is used, and writes it down: `REQUESTS_IN REQUESTS_OUT BYTES_IN BYTES_OUT`, a line each half second in
 *  which there was something. */

const FLUSH_EVERY_MS = 500;

export class Counter {
  readonly #file: number;
  /** Open connections, with the bytes of each that are counted. */
  readonly #sockets = new Map<Socket, { read: number; written: number }>();
  #requestsIn = 0;
  #requestsOut = 0;
  #bytesIn = 0;
  #bytesOut = 0;

  constructor(file: number) {
    this.#file = file;
    setInterval(() => this.flush(), FLUSH_EVERY_MS).unref();
  }

  /** Counts its bytes from now on. */
  watch(socket: Socket): void {
    this.#sockets.set(socket, { read: 0, written: 0 });
    socket.once('close', () => {
      this.#add(socket);
      this.#sockets.delete(socket);
    });
  }

  /** Something was asked for. @param kind `in` when it changes something */
  request(kind: 'in' | 'out'): void {
    if (kind === 'in') this.#requestsIn += 1;
    else this.#requestsOut += 1;
  }

  flush(): void {
    for (const socket of this.#sockets.keys()) this.#add(socket);
    const counts = [this.#requestsIn, this.#requestsOut, this.#bytesIn, this.#bytesOut];
    if (counts.every((count) => count === 0)) return;
    try {
      writeSync(this.#file, `${counts.join(' ')}\n`);
    } catch {
      // The disk is full: it is counted when there is room.
      return;
    }
    this.#requestsIn = 0;
    this.#requestsOut = 0;
    this.#bytesIn = 0;
    this.#bytesOut = 0;
  }

  #add(socket: Socket): void {
    const known = this.#sockets.get(socket);
    if (!known) return;
    this.#bytesIn += socket.bytesRead - known.read;
    this.#bytesOut += socket.bytesWritten - known.written;
    known.read = socket.bytesRead;
    known.written = socket.bytesWritten;
  }
}
