import { isIPv6 } from 'node:net';
import type {
  DesiredListener,
  DesiredLoadBalancer,
  DesiredPool,
} from '../../../../features/load-balancers/port.ts';
import { TaskFailed } from '../../../../kernel/errors.ts';
import { isPasswordHash, PASSWORD_HASHES } from '../../../../kernel/password-hashes.ts';
import { identifier, quote } from '../../host/quoting.ts';
import { endpoint, network } from './addresses.ts';
import { clientCertificateWords, endsTls, listenerCertificatePath } from './certificates.ts';
import { writeL7Policies } from './l7.ts';
import {
  addressesOf,
  backendName,
  listenerName,
  type ProxyMode,
  type RenderEnvironment,
} from './rendering.ts';
import type { ConfigWriter } from './writer.ts';

export const DEFAULT_CLIENT_TIMEOUT_MS = 50_000;

/** The mode of a listener's frontend. UDP has none: HAProxy does not carry it. */
export function frontendMode(listener: DesiredListener): ProxyMode {
  return listener.protocol === 'TCP' || listener.protocol === 'HTTPS' ? 'tcp' : 'http';
}

/** The mode in which a listener talks to a pool.
 *  @throws TaskFailed when the two cannot be combined */
export function backendMode(listener: DesiredListener, pool: DesiredPool): ProxyMode {
  const mode = frontendMode(listener);
  const poolMode = {
    HTTP: 'http',
    PROXY: mode,
    PROXYV2: mode,
    HTTPS: 'tcp',
    TCP: 'tcp',
    UDP: 'udp',
  } as const;
  const requested = poolMode[pool.protocol];
  if (requested === 'udp' || (mode === 'http' && requested === 'tcp')) {
    throw new TaskFailed(
      `Listener ${listener.id} (${listener.protocol}) cannot use pool ${pool.id} (${pool.protocol})`,
    );
  }
  return requested;
}

/** Writes one listener as a frontend, with its user list if it has one. */
export function writeFrontend(
  writer: ConfigWriter,
  desired: DesiredLoadBalancer,
  listener: DesiredListener,
  environment: RenderEnvironment,
): void {
  const origin = `Listener ${listener.id}`;
  const mode = frontendMode(listener);
  const userList = writeUserList(writer, listener);
  writer.section(`frontend ${listenerName(identifier(listener.id))}`);
  writer.line(`mode ${mode}`);
  writeBinds(writer, desired, listener, environment, origin);
  writer.line(`timeout client ${milliseconds(listener.timeoutsMs.clientData, DEFAULT_CLIENT_TIMEOUT_MS)}`);
  if (listener.connectionLimit >= 0) writer.line(`maxconn ${connectionLimit(listener, environment)}`, origin);
  writeAllowedNetworks(writer, desired, listener, origin);
  writeAccessLog(writer, desired, mode);
  if (userList) writer.line(`http-request auth realm ${userList} unless { http_auth(${userList}) }`, origin);
  if (listener.protocol === 'PROMETHEUS') {
    writeExporter(writer);
    return;
  }
  if (mode === 'http') writeHttp(writer, desired, listener);
  const pool = desired.pools.find(({ id }) => id === listener.defaultPoolId);
  if (pool) writer.line(`default_backend ${backendName(pool.id, backendMode(listener, pool))}`, origin);
}

function connectionLimit(listener: DesiredListener, environment: RenderEnvironment): number {
  return Math.max(1, Math.min(listener.connectionLimit, environment.connectionCeiling));
}

function writeUserList(writer: ConfigWriter, listener: DesiredListener): string | null {
  if (listener.basicAuth.length === 0) return null;
  if (frontendMode(listener) !== 'http') {
    throw new TaskFailed(`Listener ${listener.id}: ${listener.protocol} has no user list; HTTP has`);
  }
  const name = `users-${identifier(listener.id)}`;
  const origin = `The user list of listener ${listener.id}`;
  writer.section(`userlist ${name}`);
  for (const { username, encryptedPassword } of listener.basicAuth) {
    if (username === '') throw new TaskFailed(`${origin}: a user has no name`);
    if (!isPasswordHash(encryptedPassword)) {
      throw new TaskFailed(
        `${origin}: the encrypted password of ${JSON.stringify(username)} must be ${PASSWORD_HASHES}`,
      );
    }
    writer.line(`user ${quote(username)} password ${quote(encryptedPassword)}`, origin);
  }
  return name;
}

function writeBinds(
  writer: ConfigWriter,
  desired: DesiredLoadBalancer,
  listener: DesiredListener,
  environment: RenderEnvironment,
  origin: string,
): void {
  const tls = endsTls(listener) ? tlsWords(listener, environment) : '';
  for (const address of addressesOf(desired)) {
    const v6only = isIPv6(address) ? ' v6only' : '';
    writer.line(`bind ${endpoint(address, listener.port)}${v6only}${tls}`, origin);
  }
}

function tlsWords(listener: DesiredListener, environment: RenderEnvironment): string {
  if (listener.certificates.length === 0) {
    throw new TaskFailed(`Listener ${listener.id} terminates TLS and needs a certificate`);
  }
  // The first certificate answers clients that name no known host; the others are found by SNI.
  const certificates = listener.certificates.map(
    (_, index) => ` crt ${quote(listenerCertificatePath(environment, listener.id, index))}`,
  );
  const clients = clientCertificateWords(environment, listener);
  return ` ssl${certificates.join('')} alpn h2,http/1.1 ssl-min-ver TLSv1.2${clients}`;
}

function writeAllowedNetworks(
  writer: ConfigWriter,
  desired: DesiredLoadBalancer,
  listener: DesiredListener,
  origin: string,
): void {
  if (!listener.allowedCidrs || listener.allowedCidrs.length === 0) return;
  const networks = listener.allowedCidrs.map(network);
  // HAProxy would find every IPv4 client in ::/0, and some of IPv6 in networks of IPv4: each version by itself. The
  // client's is that of the address that it came to.
  for (const [version, own] of versionsOf(addressesOf(desired))) {
    const allowed = networks.filter((cidr) => isOfVersion(cidr, version));
    for (const address of own) writer.line(`acl over-ipv${version} dst -- ${address}`, origin);
    for (const cidr of allowed) writer.line(`acl allowed-ipv${version} src -- ${cidr}`, origin);
    const unless = allowed.length > 0 ? ` !allowed-ipv${version}` : '';
    writer.line(`tcp-request connection reject if over-ipv${version}${unless}`, origin);
  }
}

const isOfVersion = (text: string, version: 4 | 6) => text.includes(':') === (version === 6);

/** The addresses of each IP version that there are any of. */
function versionsOf(addresses: readonly string[]): (readonly [4 | 6, readonly string[]])[] {
  return ([4, 6] as const).flatMap((version) => {
    const own = addresses.filter((address) => isOfVersion(address, version));
    return own.length > 0 ? [[version, own] as const] : [];
  });
}

function writeAccessLog(writer: ConfigWriter, desired: DesiredLoadBalancer, mode: ProxyMode): void {
  if (!desired.accessLog) return;
  writer.line('log global');
  writer.line(mode === 'http' ? 'option httplog' : 'option tcplog');
}

function writeExporter(writer: ConfigWriter): void {
  writer.line('http-request use-service prometheus-exporter if { path /metrics }');
  writer.line('http-request return status 404');
}

function writeHttp(writer: ConfigWriter, desired: DesiredLoadBalancer, listener: DesiredListener): void {
  if (listener.insertXForwarded) {
    writer.line('option forwardfor');
    writer.line('http-request set-header X-Forwarded-Port %[dst_port]');
    writer.line('http-request set-header X-Forwarded-Proto https if { ssl_fc }');
    writer.line('http-request set-header X-Forwarded-Proto http if !{ ssl_fc }');
  }
  writeL7Policies(writer, listener, (poolId) => {
    const pool = desired.pools.find(({ id }) => id === poolId);
    if (!pool) throw new TaskFailed(`Listener ${listener.id} refers to pool ${poolId}, which was not found`);
    return backendName(pool.id, backendMode(listener, pool));
  });
}

/** HAProxy's spelling of a timeout; more than 24 days does not fit its clock. */
export function milliseconds(value: number | null, fallback: number): string {
  const requested = Math.trunc(value ?? fallback);
  return `${Math.min(Math.max(requested, 0), 2_000_000_000)}ms`;
}
