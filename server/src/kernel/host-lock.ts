import { createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const ATTEMPT_EVERY_MS = 20;
const PATIENCE_MS = 10_000;

/** Runs `action` while nobody else on this machine runs one under the same name. The lock is a socket
 *  name that the kernel gives to one process only and frees when that process dies, however. */
export async function withHostLock<T>(name: string, action: () => Promise<T>): Promise<T> {
  const server = await acquireHostLock(name);
  try {
    return await action();
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Acquires the lock, which is free again when the server is closed.
 *  @throws when another process holds it for too long */
export async function acquireHostLock(name: string): Promise<Server> {
  for (let waited = 0; waited < PATIENCE_MS; waited += ATTEMPT_EVERY_MS) {
    const server = await tryHostLock(name);
    if (server) return server;
    await delay(ATTEMPT_EVERY_MS);
  }
  throw new Error(`another process holds the lock "${name}" for too long`);
}

/** The same, or null when somebody else holds it. */
export function tryHostLock(name: string): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    );
    server.listen(socketName(name), () => resolve(server));
  });
}

/** Abstract names exist on Linux only; elsewhere a port of the loopback address does the same. */
function socketName(name: string): { path: string } | { host: string; port: number } {
  if (process.platform === 'linux') return { path: `\0${name}` };
  const hash = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 10_000, 7);
  return { host: '127.0.0.1', port: 40_000 + hash };
}
