import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a database, as a proxy is one. */
export interface TcpProxy {
  readonly port: number;
  /** Connections stand, also new ones, and nothing passes. */
  freeze(): void;
  thaw(): void;
  /** Ends all connections. */
  cut(): void;
  /** Ends all connections and each new one, until it is opened again. */
  shut(): void;
  open(): void;
  close(): void;
}

/** @param to where a database listens
 *  @param at the address to be reached at */
export async function proxyTo(
  to: { readonly host?: string | undefined; readonly port?: number | undefined },
  at = '127.0.0.1',
): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let frozen = false;
  let isShut = false;
  const server = createServer((inner) => {
    inner.on('error', () => {});
    if (isShut) return void inner.destroy();
    const { host = '127.0.0.1', port = 5432 } = to;
    const outer = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    for (const [from, into] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      from.on('data', (bytes) => into.write(bytes));
      from.on('close', () => {
        sockets.delete(from);
        into.destroy();
      });
      from.on('error', () => {});
      sockets.add(from);
      if (frozen) from.pause();
    }
  });
  server.listen(0, at);
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    freeze: () => {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw: () => {
      frozen = false;
      for (const socket of sockets) socket.resume();
    },
    cut,
    shut: () => {
      isShut = true;
      cut();
    },
    open: () => {
      isShut = false;
    },
    close: () => {
      cut();
      server.close();
    },
  };
}
