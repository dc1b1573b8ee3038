import type { AddressClaims } from './claims.ts';
import { loopbackAddresses, removeFromLoopback, visibleFault } from './loopback.ts';
import { listeningSockets } from './sockets.ts';

/** Removes from the loopback interface what servers that were killed left there: addresses of this server that nothing
 *  is noted to have, those of servers whose data directory is gone, and those that nobody claims.
 *  @param used addresses that something of this server is noted to have */
export async function removeAbandoned(used: ReadonlySet<string>, claims: AddressClaims): Promise<void> {
  if (visibleFault() !== null) return;
  await claims.removeAbandoned(loopbackAddresses(), used, isHeard, removeFromLoopback);
}

/** Whether somebody listens there. A container with this machine's network and a file system of its own has claims
 *  that cannot be seen here. */
const isHeard = (desired: string) =>
  (['tcp', 'udp'] as const).some((transport) =>
    (listeningSockets(transport) ?? []).some(({ address }) => address === desired),
  );
