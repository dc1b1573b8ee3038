import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { connect, isIPv6, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LogCollector } from './collector.ts';

/** Hands syslog messages to a collector. One call at a time. */
export interface LogSender {
  /** Resolves once the system has accepted all of them, however long the collector lets it wait.
   *  @throws when it cannot be reached, or the connection breaks: then any part of them may have arrived */
  send(messages: readonly string[]): Promise<void>;
  close(): void;
}

/** @param onBreak called when a connection that carried messages has ended: the last of them may be lost */
export function senderTo(collector: LogCollector, onBreak: () => void): LogSender {
  return collector.transport === 'tcp' ? new TcpSender(collector, onBreak) : new UdpSender(collector);
}

const CONNECT_WITHIN_MS = 5_000;

/** Octet counting (RFC 6587, 3.4.1): `LENGTH MESSAGE`, so that a message may hold anything. */
class TcpSender implements LogSender {
  readonly #collector: LogCollector;
  readonly #onBreak: () => void;
  #socket: Socket | null = null;
  #closed = false;

  constructor(collector: LogCollector, onBreak: () => void) {
    this.#collector = collector;
    this.#onBreak = onBreak;
  }

  async send(messages: readonly string[]): Promise<void> {
    const socket = this.#socket ?? (await this.#connect());
    if (this.#closed) {
      socket.destroy();
      throw new Error('closed');
    }
    this.#socket = socket;
    const text = messages.map((message) => `${Buffer.byteLength(message)} ${message}`).join('');
    await new Promise<void>((resolve, reject) => {
      socket.write(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  close(): void {
    this.#closed = true;
    const socket = this.#socket;
    this.#socket = null;
    // What the system has not accepted by now would keep the connection open as long as the collector likes.
    if (socket && socket.writableLength > 0) socket.destroy();
    else socket?.destroySoon();
  }

  #connect(): Promise<Socket> {
    const { host, port } = this.#collector;
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port, keepAlive: true, noDelay: true });
      const giveUp = setTimeout(
        () => socket.destroy(new Error('no connection within 5 s')),
        CONNECT_WITHIN_MS,
      );
      giveUp.unref();
      socket.unref();
      socket.once('error', reject);
      socket.once('connect', () => {
        clearTimeout(giveUp);
        socket.on('error', () => undefined);
        resolve(socket);
      });
      // It never says anything, but its end is only seen by who reads.
      socket.resume();
      socket.once('close', () => {
        clearTimeout(giveUp);
        if (this.#socket !== socket) return;
        this.#socket = null;
        this.#onBreak();
      });
    });
  }
}

/** One datagram for each message (RFC 5426). Nobody says whether one arrives. */
class UdpSender implements LogSender {
  readonly #collector: LogCollector;
  #socket: UdpSocket | null = null;

  constructor(collector: LogCollector) {
    this.#collector = collector;
  }

  async send(messages: readonly string[]): Promise<void> {
    this.#socket ??= open(this.#collector.host);
    const { host, port } = this.#collector;
    for (let at = 0; at < messages.length; at += SIDE_BY_SIDE) {
      const some = messages.slice(at, at + SIDE_BY_SIDE);
      await Promise.all(some.map((message) => this.#send(Buffer.from(message), host, port)));
      // A collector on the same machine gets a chance to read before its buffer is full.
      await nextTurn();
    }
  }

  close(): void {
    this.#socket?.close();
    this.#socket = null;
  }

  #send(message: Buffer, host: string, port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = this.#socket;
      if (!socket) return reject(new Error('closed'));
      socket.send(message, port, host, (error) => (error ? reject(error) : resolve()));
    });
  }
}

const SIDE_BY_SIDE = 32;

/** A socket of the family of an address; names are looked up as IPv4. */
function open(host: string): UdpSocket {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  socket.unref();
  // Every send has its own answer; this one is for what comes between them.
  socket.on('error', () => undefined);
  return socket;
}
