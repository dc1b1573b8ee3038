import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { canonicalAddress } from '../../../kernel/ip.ts';
import { listeningSockets } from '../addresses/sockets.ts';
import type { Endpoint } from './bind-probe.ts';

const PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 10;

/** Resolves once every port accepts connections.
 *  @throws Error after five seconds */
export async function waitUntilListening(endpoints: readonly Endpoint[]): Promise<void> {
  let missing = endpoints;
  for (let waited = 0; waited <= PATIENCE_MS; waited += LOOK_EVERY_MS) {
    missing = await notListening(missing);
    if (missing.length === 0) return;
    await delay(LOOK_EVERY_MS);
  }
  const [first] = missing;
  throw new Error(`${first?.address}:${first?.port} does not accept connections`);
}

/** The kernel's own list is asked, where there is one: a connection made to find out would be counted
 *  among the clients'. */
async function notListening(endpoints: readonly Endpoint[]): Promise<Endpoint[]> {
  const missing: Endpoint[] = [];
  for (const endpoint of endpoints) {
    const sockets = listeningSockets(endpoint.transport);
    const known = sockets?.some(
      ({ address, port }) => port === endpoint.port && address === canonicalAddress(endpoint.address),
    );
    if (!(known ?? (await accepts(endpoint)))) missing.push(endpoint);
  }
  return missing;
}

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
