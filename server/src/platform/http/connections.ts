import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Closes, when the server stops, connections on which nothing was ever asked: browsers and pools open some in
 *  advance, and Node would wait a minute for their first request. */
export function closeUnusedConnections(app: FastifyInstance): void {
  // By the peer: with TLS the socket of a request is another object than that of its connection.
  const unused = new Map<string, Socket>();
  app.server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    unused.set(peer, socket);
    socket.once('close', () => unused.get(peer) === socket && unused.delete(peer));
  });
  app.server.on('request', ({ socket }) => unused.delete(peerOf(socket)));
  app.addHook('preClose', async () => {
    for (const socket of unused.values()) socket.destroy();
  });
}

const peerOf = ({ remoteAddress, remotePort, localAddress }: Socket) =>
  `${remoteAddress} ${remotePort} ${localAddress}`;

/** Gives up requests whose connection was reset before it was accepted: nobody waits for an answer, and the system
 *  no longer knows from where they came, which limits and logs rely on. Whose address was read once keeps it. */
export function giveUpReset(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw: { socket } }, _reply, done) => {
    if (socket.remoteAddress === undefined) socket.destroy();
    else done();
  });
}
