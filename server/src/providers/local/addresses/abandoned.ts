import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readJson } from '../../../kernel/files.ts';
import type { InstanceState } from '../load-balancers/state.ts';
import type { AddressClaims } from './claims.ts';
import { loopbackAddresses, removeFromLoopback, visibleFault } from './loopback.ts';
import { listeningSockets } from './sockets.ts';

/** Removes from the loopback interface what servers that were killed left there: addresses of this server that no
 *  load balancer is noted to have, those of servers whose data directory is gone, and those that nobody claims.
 *  @param root directory that the load balancers of this server have theirs in */
export async function removeAbandoned(root: string, claims: AddressClaims): Promise<void> {
  if (visibleFault() !== null) return;
  const states = readdirSync(root).map((name) => readJson<InstanceState>(join(root, name, 'state.json')));
  const used = new Set(states.flatMap((state) => state?.addresses ?? []));
  await claims.removeAbandoned(loopbackAddresses(), used, isHeard, removeFromLoopback);
}

/** Whether somebody listens there. A container with this machine's network and a file system of its own has claims
 *  that cannot be seen here. */
const isHeard = (desired: string) =>
  (['tcp', 'udp'] as const).some((transport) =>
    (listeningSockets(transport) ?? []).some(({ address }) => address === desired),
  );
