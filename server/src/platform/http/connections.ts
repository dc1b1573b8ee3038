import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Closes, when the server stops, connections on which nothing was ever asked: browsers and pools open some in
 *  advance, and Node would wait a minute for their first request. */
export function closeUnusedConnections(app: FastifyInstance): void {
  const unused = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  app.server.on('request', ({ socket }) => unused.delete(socket));
  app.addHook('preClose', async () => {
    for (const socket of unused) socket.destroy();
  });
}
