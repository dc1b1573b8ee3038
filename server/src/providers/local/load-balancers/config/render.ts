import type { DesiredLoadBalancer, DesiredPool } from '../../../../features/load-balancers/port.ts';
import { quote } from '../../host/quoting.ts';
import { writeBackend } from './backends.ts';
import { listenerFiles, poolFiles } from './certificates.ts';
import { backendMode, writeFrontend } from './frontends.ts';
import { checkedMonitor } from './monitors.ts';
import { hasTable, tableEntries } from './persistence.ts';
import {
  addressesOf,
  flavorConnections,
  type ProxyMode,
  type RenderEnvironment,
  type Rendering,
} from './rendering.ts';
import { ConfigWriter } from './writer.ts';

/** The whole configuration of one HAProxy process for one load balancer. Pure: equal input gives
 *  equal text. UDP listeners are not in it; see `../udp`.
 *  @throws TaskFailed for what cannot be said in HAProxy's words, with a reason for the user */
export function render(desired: DesiredLoadBalancer, environment: RenderEnvironment): Rendering {
  const writer = new ConfigWriter();
  const listeners = desired.adminStateUp
    ? desired.listeners.filter(({ adminStateUp, protocol }) => adminStateUp && protocol !== 'UDP')
    : [];
  const variants = desired.adminStateUp ? poolVariants(desired) : [];
  writeGlobal(writer, desired, environment);
  writeDefaults(writer);
  for (const listener of listeners) writeFrontend(writer, desired, listener, environment);
  const entries = tableEntries(variants.filter(({ pool }) => hasTable(pool)).length);
  const backends = variants.map((each) => writeBackend(writer, desired, { ...each, entries }, environment));
  return {
    config: writer.text(),
    skeleton: writer.skeleton(),
    origins: writer.origins(),
    backends,
    files: [
      ...listeners.flatMap((listener) => listenerFiles(environment, listener)),
      ...variants.flatMap(({ pool }) => poolFiles(environment, pool)).filter(firstOfPath()),
    ],
    binds: listeners.flatMap(({ id, port }) =>
      addressesOf(desired).map((address) => ({ listenerId: id, address, port, transport: 'tcp' as const })),
    ),
    needed: listeners.length > 0 || backends.length > 0,
  };
}

function firstOfPath(): (file: { path: string }) => boolean {
  const seen = new Set<string>();
  return ({ path }) => !seen.has(path) && seen.add(path) !== undefined;
}

/** Each pool in each mode that a listener needs it in; pools that no listener uses are there too, so
 *  that their members' health is known before traffic is sent to them. */
function poolVariants(desired: DesiredLoadBalancer): { pool: DesiredPool; mode: ProxyMode }[] {
  return desired.pools.flatMap((pool) => {
    if (pool.protocol === 'UDP') return checkedMonitor(pool) ? [{ pool, mode: 'tcp' as const }] : [];
    const modes = new Set<ProxyMode>();
    for (const listener of desired.listeners) {
      if (listener.protocol === 'UDP' || listener.protocol === 'PROMETHEUS') continue;
      const uses =
        listener.defaultPoolId === pool.id ||
        listener.l7Policies.some(({ redirectPoolId }) => redirectPoolId === pool.id);
      if (uses) modes.add(backendMode(listener, pool));
    }
    if (modes.size === 0) modes.add(pool.protocol === 'HTTP' ? 'http' : 'tcp');
    return [...modes].sort().map((mode) => ({ pool, mode }));
  });
}

function writeGlobal(
  writer: ConfigWriter,
  desired: DesiredLoadBalancer,
  environment: RenderEnvironment,
): void {
  const { chroot, socketPath, serverStatePath, cpuCount, connectionCeiling } = environment;
  const connections = Math.min(flavorConnections(desired.flavor), connectionCeiling);
  writer.section('global');
  if (chroot) writer.line(`chroot ${quote(chroot)}`);
  writer.line(`stats socket ${quote(socketPath)} mode 600 level admin expose-fd listeners`);
  writer.line('stats timeout 20d');
  writer.line(`nbthread ${Math.max(1, Math.min(desired.flavor.vcpus, cpuCount))}`);
  writer.line(`maxconn ${connections}`);
  // After a reload, connections that were open may go on, but not for ever.
  writer.line('hard-stop-after 24h');
  // A new member is checked at once, not after up to a whole interval.
  writer.line('max-spread-checks 500ms');
  writer.line(`server-state-file ${quote(serverStatePath)}`);
  // Each line is one write to a pipe, which carries 4 KiB in one piece.
  if (desired.accessLog) writer.line('log fd@3 len 4000 format iso local0');
}

/** What keeps every request alive over reloads and changes of members (measured). */
function writeDefaults(writer: ConfigWriter): void {
  writer.section('defaults');
  writer.line('timeout client 50s');
  writer.line('timeout server 50s');
  writer.line('timeout connect 5s');
  writer.line('option http-keep-alive');
  writer.line('option idle-close-on-response');
  writer.line('option redispatch 1');
  writer.line('retries 3');
  writer.line('load-server-state-from-file global');
}
