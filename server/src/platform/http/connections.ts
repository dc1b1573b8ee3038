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

/** Gives up requests whose connection was reset before it was accepted: nobody waits for an answer, and the system
 *  no longer knows from where they came, which limits and logs rely on. Whose address was read once keeps it. */
export function giveUpReset(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw: { socket } }, _reply, done) => {
    if (socket.remoteAddress === undefined) socket.destroy();
    else done();
  });
}
