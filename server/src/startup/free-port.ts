import { once } from 'node:events';
import { createServer } from 'node:net';
import { currentInstances } from '../platform/database/embedded/index.ts';
import type { Config } from './config.ts';

/** Finds a port that is taken before anything is made. A server that runs on the same data directory has it with
 *  reason; whoever holds that is named later.
 *  @throws the system's error, such as EADDRINUSE */
export async function requireFreePort({
  host,
  port,
  role,
  dataDir,
}: Pick<Config, 'host' | 'port' | 'role' | 'dataDir'>): Promise<void> {
  if (role === 'worker' || port === 0 || isServed(dataDir)) return;
  const server = createServer().listen({ host, port });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}

/** A folder that cannot be read is refused later, with its reason. */
function isServed(dataDir: string): boolean {
  try {
    return currentInstances(dataDir).length > 0;
  } catch {
    return false;
  }
}
