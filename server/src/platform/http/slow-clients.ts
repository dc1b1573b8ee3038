import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyHttpOptions, FastifyInstance } from 'fastify';
import { HEADER_LIMIT } from './bounds.ts';

/** How long we wait for clients, and how much we keep for those that do not read. */
export interface Patience {
  /** Milliseconds for the request line and all headers. */
  readonly headersMs: number;
  /** For a whole request. */
  readonly requestMs: number;
  /** Without a byte in either direction: longer than the longest wait for a task. */
  readonly silenceMs: number;
  /** Requests on one connection that wait for the answer to an earlier one. */
  readonly waitingRequests: number;
  /** Bytes of long answers that nobody has read yet, over all connections. */
  readonly unreadBytes: number;
}

export const PATIENCE: Patience = {
  headersMs: 10_000,
  requestMs: 30_000,
  silenceMs: 90_000,
  waitingRequests: 32,
  unreadBytes: 128 * 1024 * 1024,
};

/** Of what Node offers, what ends connections that are too slow. */
export function timeouts({ headersMs, requestMs, silenceMs }: Patience) {
  return {
    requestTimeout: requestMs,
    connectionTimeout: silenceMs,
    http: {
      headersTimeout: headersMs,
      connectionsCheckingInterval: Math.ceil(headersMs / 5),
      maxHeaderSize: HEADER_LIMIT,
    },
    clientErrorHandler: refuseUnreadable,
  } satisfies FastifyHttpOptions<Server>;
}

const UNREADABLE: Readonly<Record<string, readonly [line: string, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive'],
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    `The headers are larger than ${HEADER_LIMIT / 1024} KiB`,
  ],
};

/** Answers what is not even a request, in as few bytes as it takes. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (socket.destroyed) return;
  const [line, message] = UNREADABLE[error.code ?? ''] ?? ['400 Bad Request', 'This is not an HTTP request'];
  if (socket.writable && socket.bytesWritten === 0) {
    const body = JSON.stringify({ exception_class: 'HTTPError', message, request_id: '' });
    socket.write(
      `HTTP/1.1 ${line}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );
  }
  socket.destroySoon();
}

/** Requests of one connection are worked on one after the other, as their answers are sent: whoever sends many and
 *  reads nothing has one answer made. */
export function answerInOrder(app: FastifyInstance, { waitingRequests }: Patience): void {
  const open = new WeakMap<Socket, (() => void)[]>();
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const waiting = open.get(socket);
    reply.raw.once('close', () => {
      const next = open.get(socket)?.shift();
      if (next && !socket.destroyed) next();
      else open.delete(socket);
    });
    if (!waiting) {
      open.set(socket, []);
      done();
    } else if (waiting.length >= waitingRequests) socket.destroy();
    else waiting.push(done);
  });
}

/** Long answers that are not read yet. When there are too many, those that wait longest are given up. */
export class UnreadAnswers {
  readonly #limit: number;
  readonly #sizes = new Map<ServerResponse, number>();
  #total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get bytes(): number {
    return this.#total;
  }

  add(response: ServerResponse, bytes: number): void {
    this.#sizes.set(response, bytes);
    this.#total += bytes;
    response.once('close', () => this.#remove(response));
    for (const oldest of this.#sizes.keys()) {
      if (this.#total <= this.#limit || oldest === response) return;
      oldest.destroy();
      this.#remove(oldest);
    }
  }

  #remove(response: ServerResponse): void {
    this.#total -= this.#sizes.get(response) ?? 0;
    this.#sizes.delete(response);
  }
}
