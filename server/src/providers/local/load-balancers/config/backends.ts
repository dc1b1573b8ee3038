import type {
  DesiredLoadBalancer,
  DesiredMember,
  DesiredPool,
} from '../../../../features/load-balancers/port.ts';
import { identifier, quote } from '../../host/quoting.ts';
import { endpoint } from './addresses.ts';
import { poolFilePath } from './certificates.ts';
import { milliseconds } from './frontends.ts';
import { checkedMonitor, checkOptions, probedMonitor, writeMonitor } from './monitors.ts';
import { dynamicCookieKey, hasTable, writePersistence } from './persistence.ts';
import {
  addressesOf,
  backendName,
  type ProxyMode,
  type RenderEnvironment,
  type RenderedBackend,
  type RenderedServer,
  serverName,
} from './rendering.ts';
import type { ConfigWriter } from './writer.ts';

const DEFAULT_MEMBER_TIMEOUT_MS = 50_000;
const DEFAULT_CONNECT_TIMEOUT_MS = 5_000;
const DEFAULT_TUNNEL_TIMEOUT_MS = 3_600_000;
const BALANCE = { ROUND_ROBIN: 'roundrobin', LEAST_CONNECTIONS: 'leastconn', SOURCE_IP: 'source' } as const;

export interface BackendOf {
  readonly pool: DesiredPool;
  readonly mode: ProxyMode;
  /** Clients that it may remember. */
  readonly entries: number;
}

/** Writes a pool as a backend. A pool that is switched off stays as a backend without members, so
 *  that HTTP clients get a 503 and others are hung up on. */
export function writeBackend(
  writer: ConfigWriter,
  desired: DesiredLoadBalancer,
  { pool, mode, entries }: BackendOf,
  environment: RenderEnvironment,
): RenderedBackend {
  const name = backendName(identifier(pool.id), mode);
  writer.section(`backend ${name}`);
  writer.line(`mode ${mode}`);
  writer.line(`balance ${BALANCE[pool.algorithm]}`);
  // Only a consistent hash lets members come, go and change weight in a running process.
  if (pool.algorithm === 'SOURCE_IP') writer.line('hash-type consistent');
  writer.line('option allbackups');
  writeTimeouts(writer, desired, pool);
  if (mode === 'http') {
    // Not for TCP, where it would take the place of the other timeouts.
    writer.line(`timeout tunnel ${milliseconds(pool.tunnelMs, DEFAULT_TUNNEL_TIMEOUT_MS)}`);
    writeRetries(writer);
  }
  writePersistence(writer, { pool, mode, entries }, addressesOf(desired));
  writeMonitor(writer, pool, desired.vipAddress);
  const servers = pool.adminStateUp
    ? pool.members.map((member) => server(pool, mode, member, environment))
    : [];
  for (const each of servers)
    writer.serverLine(serverLine(each), `Member ${each.memberId} of pool ${pool.id}`);
  return {
    name,
    poolId: pool.id,
    enabled: pool.adminStateUp,
    remembers: hasTable(pool),
    dynamicCookieKey: dynamicCookieKey(pool),
    servers,
  };
}

/** A request that a member did not answer goes to another one, but only where the method promises
 *  that twice is the same as once (RFC 9110, 9.2.2). */
function writeRetries(writer: ConfigWriter): void {
  writer.line('retry-on conn-failure empty-response');
  writer.line('http-request disable-l7-retry unless { method GET HEAD OPTIONS TRACE PUT DELETE }');
}

/** The pool's own timeouts, then those of a listener that uses it, then ours. */
function writeTimeouts(writer: ConfigWriter, desired: DesiredLoadBalancer, pool: DesiredPool): void {
  const user = desired.listeners.find(
    ({ defaultPoolId, l7Policies }) =>
      defaultPoolId === pool.id || l7Policies.some(({ redirectPoolId }) => redirectPoolId === pool.id),
  );
  const connect = pool.timeoutsMs.memberConnect ?? user?.timeoutsMs.memberConnect ?? null;
  const data = pool.timeoutsMs.memberData ?? user?.timeoutsMs.memberData ?? null;
  writer.line(`timeout connect ${milliseconds(connect, DEFAULT_CONNECT_TIMEOUT_MS)}`);
  writer.line(`timeout server ${milliseconds(data, DEFAULT_MEMBER_TIMEOUT_MS)}`);
}

function server(
  pool: DesiredPool,
  mode: ProxyMode,
  member: DesiredMember,
  environment: RenderEnvironment,
): RenderedServer {
  return {
    name: serverName(identifier(member.id)),
    memberId: member.id,
    address: endpoint(member.address, member.port),
    weight: Math.min(Math.max(Math.trunc(member.weight), 0), 256),
    enabled: member.adminStateUp,
    checked: checkedMonitor(pool) !== null,
    probed: probedMonitor(pool) !== null,
    options: [
      ...(member.backup ? ['backup'] : []),
      ...(pool.protocol === 'PROXY' ? ['send-proxy'] : []),
      ...(pool.protocol === 'PROXYV2' ? ['send-proxy-v2'] : []),
      ...memberTls(pool, environment),
      ...(mode === 'http' && pool.memberHttpVersion === '2' ? http2(pool) : []),
      ...checkOptions(pool, member),
    ],
  };
}

function memberTls(pool: DesiredPool, environment: RenderEnvironment): string[] {
  if (!pool.tls) return [];
  const { caBundle, crl, clientCertificate } = pool.tls;
  const file = (kind: 'ca' | 'crl' | 'client') => poolFilePath(environment, pool.id, kind);
  return [
    'ssl',
    ...(caBundle === null ? ['verify', 'none'] : ['verify', 'required', 'ca-file', file('ca')]),
    ...(caBundle !== null && crl !== null ? ['crl-file', file('crl')] : []),
    ...(clientCertificate === null ? [] : ['crt', file('client')]),
  ];
}

/** Members are expected to speak HTTP/2 at once: without TLS by prior knowledge, with TLS after its handshake agreed on
 *  it. Checks speak it, too. */
const http2 = ({ tls }: DesiredPool): string[] =>
  tls ? ['alpn', 'h2', 'check-alpn', 'h2'] : ['proto', 'h2'];

function serverLine(each: RenderedServer): string {
  const words = ['server', each.name, each.address, 'weight', `${each.weight}`, ...each.options];
  return `${words.map(quote).join(' ')}${each.enabled ? '' : ' disabled'}`;
}
