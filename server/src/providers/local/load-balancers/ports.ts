import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { DesiredLoadBalancer } from '../../../features/load-balancers/port.ts';
import { bindFailure, type Endpoint } from './bind-probe.ts';
import { listeningSockets } from './sockets.ts';

const PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 10;
const FIRST_PEERS_PORT = 1025;

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
      ({ address, port }) => port === endpoint.port && isSame(address, endpoint.address),
    );
    if (!(known ?? (await accepts(endpoint)))) missing.push(endpoint);
  }
  return missing;
}

function isSame(listed: string, wanted: string): boolean {
  return wanted.includes(':') ? listed === expanded(wanted) : listed === wanted;
}

function expanded(ipv6: string): string {
  const [head = '', tail] = ipv6.toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right];
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':');
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

/** A port of the main address for handing tables over, out of the listeners' way. The present one is
 *  kept as long as it can be, since predecessor and successor have to agree on it. */
export async function choosePeersPort(desired: DesiredLoadBalancer, present: number): Promise<number> {
  const wanted = new Set(desired.listeners.map(({ port }) => port));
  if (present > 0 && !wanted.has(present)) return present;
  for (let port = FIRST_PEERS_PORT; port < 65_535; port += 1) {
    if (wanted.has(port)) continue;
    const failure = await bindFailure({ address: desired.vipAddress, port, transport: 'tcp' });
    if (failure !== 'EADDRINUSE') return port;
  }
  throw new Error(`no port of ${desired.vipAddress} is free`);
}
