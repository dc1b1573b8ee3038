import type { RenderedBackend } from './config/rendering.ts';
import type { RuntimeSocket } from './runtime-socket.ts';

/** Which client belongs to which member: HAProxy forgets it with the process, so a reload carries it
 *  over by hand. (HAProxy's own way, a `peers` section, hands nothing over during the first seconds of
 *  a process, and needs a port.) */
export interface RememberedClients {
  readonly backend: string;
  /** Client key → server name. */
  readonly clients: readonly (readonly [key: string, server: string])[];
}

const ENTRY = /^0x[0-9a-f]+: key=(\S+) use=\d+ exp=\d+ .*server_id=(\d+) server_key=(\S+)/;
/** Keys that HAProxy prints with escapes cannot be given back as they are. */
const PLAIN_KEY = /^[^\\;\s]+$/;

/** Reads the tables of these backends. A backend without a table, or one that is new, has none. */
export async function readTables(
  socket: RuntimeSocket,
  backends: readonly RenderedBackend[],
): Promise<RememberedClients[]> {
  const remembered: RememberedClients[] = [];
  for (const { name, remembers } of backends) {
    if (!remembers) continue;
    const dump = await socket.command(`show table ${name}`);
    const names = await serverNames(socket, name);
    const clients = dump.split('\n').flatMap((line) => {
      const [, key = '', id = '', printed = '-'] = ENTRY.exec(line) ?? [];
      const server = printed === '-' ? names.get(id) : printed;
      return server !== undefined && PLAIN_KEY.test(key) ? [[key, server] as const] : [];
    });
    remembered.push({ backend: name, clients });
  }
  return remembered;
}

/** Gives a new process what the old one remembered; members that have left are not remembered. */
export async function writeTables(
  socket: RuntimeSocket,
  tables: readonly RememberedClients[],
): Promise<void> {
  for (const { backend, clients } of tables) {
    if (clients.length === 0) continue;
    const ids = new Map([...(await serverNames(socket, backend))].map(([id, name]) => [name, id]));
    const commands = clients.flatMap(([key, server]) => {
      const id = ids.get(server);
      return id === undefined ? [] : [`set table ${backend} key ${key} data.server_id ${id}`];
    });
    await socket.commands(commands);
  }
}

/** HAProxy's number of each server → its name. */
async function serverNames(socket: RuntimeSocket, backend: string): Promise<Map<string, string>> {
  const dump = await socket.command(`show servers state ${backend}`);
  return new Map(
    dump.split('\n').flatMap((line) => {
      const [, name, id, server] = line.split(' ');
      return name === backend && id && server ? [[id, server] as const] : [];
    }),
  );
}
