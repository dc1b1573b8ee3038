import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { shared } from '../../../../../../test/harness/shared.ts';

/** A real HTTP server to balance load to. */
export interface Backend {
  readonly port: number;
  readonly requests: {
    readonly method: string;
    readonly url: string;
    readonly headers: IncomingMessage['headers'];
  }[];
  /** What it answers from now on. */
  answer: { status: number; headers?: Record<string, string> };
  /** Closes the port and every connection, as a crash would. */
  kill(): Promise<void>;
}

/** Starts one that answers every request with `name`. */
export async function startBackend(name: string, port = 0, host = '127.0.0.1'): Promise<Backend> {
  const requests: Backend['requests'] = [];
  const connections = new Set<Socket>();
  const backend = { requests, answer: { status: 200 } as Backend['answer'] };
  const server: Server = createServer((request, response) => {
    requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers });
    response.writeHead(backend.answer.status, { 'content-type': 'text/plain', ...backend.answer.headers });
    response.end(name);
  });
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  return Object.assign(backend, {
    port: (server.address() as AddressInfo).port,
    kill: () =>
      new Promise<void>((resolve) => {
        for (const socket of connections) socket.destroy();
        server.close(() => resolve());
      }),
  });
}

/** One for all tests of a file. */
export const sharedBackend = (name: string): Backend =>
  shared(async () => {
    const backend = await startBackend(name);
    return Object.assign(backend, { close: backend.kill });
  });
