import { isIPv6 } from 'node:net';
import { TaskFailed } from '../../../../kernel/errors.ts';
import { identifier } from '../../host/quoting.ts';
import { checkedPort, network } from '../config/addresses.ts';
import type { UdpListener, UdpMember, UdpPlan, UdpPool } from './plan.ts';

export interface NginxEnvironment {
  readonly modulePath: string | null;
  readonly pidFile: string;
  readonly errorLog: string;
  readonly sessionLog: string;
  /** Where sessions are logged for the user, or null: nowhere. */
  readonly accessLog: string | null;
  readonly connections: number;
}

/** The configuration of one nginx that carries the UDP listeners of one load balancer.
 *  @param down members that do not answer */
export function renderNginx(plan: UdpPlan, down: ReadonlySet<string>, environment: NginxEnvironment): string {
  const { modulePath, pidFile, errorLog, connections } = environment;
  const lines = [
    ...(modulePath ? [`load_module ${quotePath(modulePath)};`] : []),
    // Packets of one client must meet in one process to be one session.
    'worker_processes 1;',
    `pid ${quotePath(pidFile)};`,
    `error_log ${quotePath(errorLog)} error;`,
    `events { worker_connections ${connections}; }`,
    'stream {',
    ...plan.listeners.flatMap(limitZone(connections)),
    ...plan.pools.flatMap((pool, index) => renderPool(pool, index, down)),
    ...plan.listeners.flatMap((listener, index) => renderListener(plan, listener, index, environment)),
    '}',
  ];
  return `${lines.join('\n')}\n`;
}

const LOGGED = '$upstream_addr $status $bytes_received $bytes_sent $session_time';

function limitZone(connections: number) {
  return (listener: UdpListener, index: number): string[] =>
    isLimited(listener, connections) ? [`  limit_conn_zone $server_port zone=limit_${index}:1m;`] : [];
}

function isLimited({ sessionLimit }: UdpListener, connections: number): boolean {
  return sessionLimit >= 0 && sessionLimit < connections;
}

function renderListener(
  plan: UdpPlan,
  listener: UdpListener,
  index: number,
  environment: NginxEnvironment,
): string[] {
  const { sessionLog, accessLog, connections } = environment;
  const pool = plan.pools.findIndex(({ id }) => id === listener.poolId);
  const line = `$time_iso8601 $remote_addr:$remote_port [$time_local] listener-${identifier(listener.id)} UDP ${LOGGED}`;
  return [
    `  log_format session_${index} '${identifier(listener.id)} $bytes_received $bytes_sent $status';`,
    ...(accessLog ? [`  log_format access_${index} '${line}';`] : []),
    ...(pool === -1 ? [`  upstream nobody_${index} { ${NOBODY} }`] : []),
    '  server {',
    ...listener.addresses.map((address) => `    listen ${endpoint(address, listener.port)} udp;`),
    ...(listener.allowed ?? []).map((cidr) => `    allow ${network(cidr)};`),
    ...(listener.allowed ? ['    deny all;'] : []),
    ...(isLimited(listener, connections)
      ? [`    limit_conn limit_${index} ${Math.max(1, listener.sessionLimit)};`]
      : []),
    `    proxy_timeout ${Math.max(1, Math.trunc(listener.idleMs))}ms;`,
    `    proxy_pass ${pool === -1 ? `nobody_${index}` : `pool_${pool}`};`,
    `    access_log ${quotePath(sessionLog)} session_${index};`,
    ...(accessLog ? [`    access_log ${quotePath(accessLog)} access_${index};`] : []),
    '  }',
  ];
}

/** nginx wants at least one server; this one is never asked. */
const NOBODY = 'server 127.0.0.1:9 down;';

function renderPool(pool: UdpPool, index: number, down: ReadonlySet<string>): string[] {
  const servers = usable(pool, down).map((member) => {
    const backup = member.backup && pool.sourceBits === null ? ' backup' : '';
    const weight = Math.min(Math.trunc(member.weight), 256);
    return `    server ${endpoint(member.address, member.port)} weight=${weight} max_fails=1 fail_timeout=5s${backup};`;
  });
  // Backups alone are no backups to nginx: it would find no server that is none.
  const onlyBackups = servers.length > 0 && servers.every((line) => line.endsWith(' backup;'));
  const lines = onlyBackups ? servers.map((line) => line.replace(' backup;', ';')) : servers;
  return [
    ...sourceMap(pool, index),
    `  upstream pool_${index} {`,
    ...(pool.sourceBits === null ? [] : [`    hash $source_${index} consistent;`]),
    ...(pool.sourceBits === null && pool.algorithm === 'LEAST_CONNECTIONS' ? ['    least_conn;'] : []),
    ...(lines.length > 0 ? lines : [`    ${NOBODY}`]),
    '  }',
  ];
}

/** Members that may get new sessions. A hash cannot hold backups back, so they join only when all
 *  others are down. */
function usable(pool: UdpPool, down: ReadonlySet<string>): readonly UdpMember[] {
  const alive = pool.members.filter(({ id, enabled, weight }) => enabled && weight > 0 && !down.has(id));
  if (pool.sourceBits === null) return alive;
  const first = alive.filter(({ backup }) => !backup);
  return first.length > 0 ? first : alive;
}

/** nginx knows no netmasks here, only bytes, 4 or 16 of them: a granularity is rounded up to whole ones. */
function sourceMap(pool: UdpPool, index: number): string[] {
  if (pool.sourceBits === null) return [];
  const lines = ([4, 6] as const).flatMap((version) => {
    const size = version === 4 ? 4 : 16;
    const kept = Math.ceil((pool.sourceBits?.[version] ?? 0) / 8);
    const [name, rest] = [`part_${index}_${version}`, `.{${size - kept}}\\z`];
    return kept < 1 || kept >= size ? [] : [`    "~(?s)^(?<${name}>.{${kept}})${rest}" $${name};`];
  });
  return [
    `  map $binary_remote_addr $source_${index} {`,
    '    default $binary_remote_addr;',
    ...lines,
    '  }',
  ];
}

function endpoint(address: string, port: number): string {
  network(address);
  return isIPv6(address) ? `[${address}]:${checkedPort(port)}` : `${address}:${checkedPort(port)}`;
}

function quotePath(path: string): string {
  if (/["\\$\n;{}]/.test(path)) throw new TaskFailed(`nginx cannot use files under a path like ${path}`);
  return `"${path}"`;
}
