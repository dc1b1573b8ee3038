import { connect, isIPv6 } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { canonicalAddress } from '../../../kernel/ip.ts';
import { type ListeningSocket, listeningIn, type SocketTable } from '../addresses/sockets.ts';
import type { Endpoint } from './bind-probe.ts';

/** Sockets that wait for clients, or null where the system does not say. */
type ReadSockets = (table: SocketTable) => ListeningSocket[] | null;

const PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 10;

/** Resolves once every port accepts connections.
 *  @throws Error after five seconds */
export async function waitUntilListening(
  endpoints: readonly Endpoint[],
  read: ReadSockets = listeningIn,
): Promise<void> {
  let missing = endpoints;
  for (let waited = 0; waited <= PATIENCE_MS; waited += LOOK_EVERY_MS) {
    missing = await notListening(missing, read);
    if (missing.length === 0) return;
    await delay(LOOK_EVERY_MS);
  }
  const [first] = missing;
  throw new Error(`${first?.address}:${first?.port} does not accept connections`);
}

/** The kernel's own list is asked, where there is one: a connection made to find out would be counted
 *  among the clients'. It costs milliseconds, however many endpoints are looked up: it is read once. */
async function notListening(endpoints: readonly Endpoint[], read: ReadSockets): Promise<Endpoint[]> {
  const known = new Map<SocketTable, ReadonlySet<string> | null>();
  for (const table of new Set(endpoints.map(tableOf))) {
    const sockets = read(table);
    known.set(table, sockets && new Set(sockets.map(keyOf)));
  }
  const missing: Endpoint[] = [];
  for (const endpoint of endpoints) {
    const { address, port } = endpoint;
    const key = keyOf({ address: canonicalAddress(address), port });
    if (!(known.get(tableOf(endpoint))?.has(key) ?? (await accepts(endpoint)))) missing.push(endpoint);
  }
  return missing;
}

const tableOf = ({ address, transport }: Endpoint): SocketTable =>
  isIPv6(address) ? `${transport}6` : transport;

const keyOf = ({ address, port }: Pick<Endpoint, 'address' | 'port'>): string => `${address} ${port}`;

function accepts({ address, port, transport }: Endpoint): Promise<boolean> {
  if (transport === 'udp') return Promise.resolve(true);
  return new Promise((resolve) => {
    const socket = connect({ host: address, port });
    const settle = (accepted: boolean) => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}
