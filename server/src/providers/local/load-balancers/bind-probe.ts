import { createSocket } from 'node:dgram';
import { createServer, isIPv6 } from 'node:net';
import { TaskFailed } from '../../../kernel/errors.ts';
import { commandLine, identify, type ProcessIdentity, terminate } from '../../../kernel/processes.ts';
import { holderOf, holderPid, type Transport } from '../addresses/sockets.ts';

export interface Endpoint {
  readonly address: string;
  readonly port: number;
  readonly transport: Transport;
}

/** Tries a port out before a data plane binds it. HAProxy shares a port with whoever lets it, and the
 *  kernel would then split the traffic between the two without a word.
 *  @throws TaskFailed saying what would make it available; its cause, for the log, names who holds the port */
export async function requireFree(endpoint: Endpoint): Promise<void> {
  const code = await bindFailure(endpoint);
  if (code === 'EADDRINUSE') throw portInUse(endpoint);
  if (code !== null) throw new TaskFailed(explain(endpoint, code));
}

/** The same, but our own HAProxy may have the port, from a change in which the server died before it noted that. One that
 *  came up although its start was killed is named by no pid file, and ends.
 *  @param own by which file it is known, and the process that the pid file names */
export async function requireFreeOrOwn(
  endpoint: Endpoint,
  own: { readonly config: string; readonly running: ProcessIdentity | null },
): Promise<void> {
  try {
    await requireFree(endpoint);
  } catch (error) {
    const pid = holderPid(endpoint.address, endpoint.port, endpoint.transport);
    const isOwn = typeof pid === 'number' && commandLine(pid).includes(own.config);
    if (!isOwn) throw error;
    const holder = identify(pid);
    if (holder && pid !== own.running?.pid) await terminate(holder);
  }
}

/** For a tenant, who learns no program and pid of this machine. */
export function portInUse({ address, port, transport }: Endpoint): TaskFailed {
  const inUse = `${transport.toUpperCase()} port ${port} of ${address} is already in use`;
  const holder = holderOf(address, port, transport) ?? 'a program that is gone';
  return new TaskFailed(`${inUse} by another program`, { cause: new Error(`${inUse} by ${holder}`) });
}

/** Why the port cannot be bound, as the system's error code, or null: it can be. */
export function bindFailure({ address, port, transport }: Endpoint): Promise<string | null> {
  return new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException) => resolve(error.code ?? 'UNKNOWN');
    if (transport === 'udp') {
      const type = isIPv6(address) ? 'udp6' : 'udp4';
      const socket = createSocket({ type, ipv6Only: type === 'udp6' }).once('error', failed);
      socket.bind({ address, port, exclusive: true }, () => socket.close(() => resolve(null)));
    } else {
      const server = createServer().once('error', failed);
      const options = { host: address, port, exclusive: true, ipv6Only: isIPv6(address) };
      server.listen(options, () => server.close(() => resolve(null)));
    }
  });
}

function explain({ address, port, transport }: Endpoint, code: string): string {
  const where = `${transport.toUpperCase()} port ${port} of ${address}`;
  if (code === 'EACCES') {
    return (
      `${where} needs a permission that this server lacks: choose a port from 1024 on, or allow low ` +
      `ports with "sysctl net.ipv4.ip_unprivileged_port_start=${port}"`
    );
  }
  if (code === 'EADDRNOTAVAIL') {
    return `This machine does not have the address ${address}${aliasHint(address)}`;
  }
  return `${where} cannot be used (${code})`;
}

/** macOS answers on 127.0.0.1 alone unless set otherwise. */
export function aliasHint(address: string): string {
  if (process.platform !== 'darwin' || !address.startsWith('127.')) return '';
  return `; on macOS add it with "sudo ifconfig lo0 alias ${address} up"`;
}
