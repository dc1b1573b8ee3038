import type {
  DesiredHealthMonitor,
  DesiredMember,
  DesiredPool,
  HealthMonitorType,
} from '../../../../features/load-balancers/port.ts';
import { TaskFailed } from '../../../../kernel/errors.ts';
import { quote, quoteFormat, refuseControlCharacters } from '../../host/quoting.ts';
import { checkedPort, host as hostOf } from './addresses.ts';
import type { ConfigWriter } from './writer.ts';

/** HAProxy's timers are 32-bit milliseconds; longer wishes mean the same as three weeks. */
const LONGEST_TIMER_S = 21 * 24 * 3600;
const EXPECTED_CODES = /^[1-5]\d\d(-[1-5]\d\d)?(,[1-5]\d\d(-[1-5]\d\d)?)*$/;
const HTTP_TYPES: ReadonlySet<HealthMonitorType> = new Set(['HTTP', 'HTTPS', 'K8S']);
const METHOD = /^[A-Z]{1,20}$/;

/** Types that HAProxy itself cannot check; the prober of this provider does, and reports to HAProxy. */
const PROBED_TYPES: ReadonlySet<HealthMonitorType> = new Set(['PING', 'UDP-CONNECT']);

/** The monitor that is in force, or null: none, or switched off. */
export function activeMonitor(pool: DesiredPool): DesiredHealthMonitor | null {
  return pool.healthMonitor?.adminStateUp ? pool.healthMonitor : null;
}

/** The monitor if this provider's own prober has to carry it out. */
export function probedMonitor(pool: DesiredPool): DesiredHealthMonitor | null {
  const monitor = activeMonitor(pool);
  return monitor && PROBED_TYPES.has(monitor.type) ? monitor : null;
}

/** The monitor if HAProxy carries it out. */
export function checkedMonitor(pool: DesiredPool): DesiredHealthMonitor | null {
  const monitor = activeMonitor(pool);
  return monitor && !PROBED_TYPES.has(monitor.type) ? monitor : null;
}

/** Backend lines that say how members are checked. */
export function writeMonitor(writer: ConfigWriter, pool: DesiredPool, vipAddress: string): void {
  const monitor = checkedMonitor(pool);
  if (!monitor) return;
  const origin = `The health monitor of pool ${pool.id}`;
  // Zero would be "for ever" to HAProxy; a check can never usefully take longer than its interval.
  const timeout = monitor.timeout > 0 ? monitor.timeout : monitor.delay;
  writer.line(`timeout check ${seconds(timeout)}s`, origin);
  if (HTTP_TYPES.has(monitor.type))
    writeHttpCheck(writer, versionOf(pool, monitor), monitor, vipAddress, origin);
}

/** The version of HTTP that a check speaks: that of its pool where members speak HTTP/2 alone. */
function versionOf({ memberHttpVersion }: DesiredPool, monitor: DesiredHealthMonitor): string {
  if (memberHttpVersion === '2') return '2';
  return monitor.httpVersion ?? (monitor.domainName ? '1.1' : '1.0');
}

function writeHttpCheck(
  writer: ConfigWriter,
  version: string,
  monitor: DesiredHealthMonitor,
  vipAddress: string,
  origin: string,
): void {
  const method = monitor.httpMethod ?? 'GET';
  if (!METHOD.test(method)) throw new TaskFailed(`${origin}: ${JSON.stringify(method)} is no HTTP method`);
  refuseControlCharacters(monitor.urlPath ?? '');
  const path = monitor.urlPath || (monitor.type === 'K8S' ? '/healthz' : '/');
  // HTTP/1.1 and 2 require a Host, also where the user named no domain.
  const host = monitor.domainName || (version === '1.0' ? null : urlHost(vipAddress));
  const header = host === null ? '' : ` hdr Host ${quoteFormat(host)}`;
  writer.line('option httpchk', origin);
  writer.line(
    `http-check send meth ${method} uri ${quote(requestTarget(path))} ver HTTP/${version}${header}`,
    origin,
  );
  writer.line(`http-check expect status ${expectedCodes(monitor, origin)}`, origin);
}

/** RFC 3986 puts IPv6 addresses into brackets. */
const urlHost = (address: string) => (address.includes(':') ? `[${address}]` : address);

/** The path as it may stand in a request line: what RFC 3986 does not allow there is percent-encoded. */
function requestTarget(path: string): string {
  return path.replaceAll(/[^\x21-\x7e]|["<>\\^`{|}]/gu, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`)
      .join(''),
  );
}

function expectedCodes(monitor: DesiredHealthMonitor, origin: string): string {
  const codes = (monitor.expectedCodes ?? '200').replaceAll(/\s/g, '');
  if (!EXPECTED_CODES.test(codes)) {
    throw new TaskFailed(
      `${origin}: the expected codes ${JSON.stringify(codes)} are not like 200, 200,202 or 200-204`,
    );
  }
  return codes;
}

/** Words of a server line that have it checked. */
export function checkOptions(pool: DesiredPool, member: DesiredMember): string[] {
  const monitor = checkedMonitor(pool);
  if (!monitor) return [];
  const timing = ['inter', `${seconds(monitor.delay)}s`, 'rise', `${monitor.maxRetries}`];
  return [
    'check',
    ...timing,
    'fall',
    `${monitor.maxRetriesDown}`,
    // Connections of real clients find a dead member sooner than the next check would.
    'observe',
    'layer4',
    'error-limit',
    '3',
    'on-error',
    'mark-down',
    ...checkTarget(member),
    ...checkTransport(pool, monitor, member),
  ];
}

function checkTarget(member: DesiredMember): string[] {
  const address = member.monitorAddress;
  return [
    ...(address ? ['addr', hostOf(address)] : []),
    ...(member.monitorPort ? ['port', `${checkedPort(member.monitorPort)}`] : []),
  ];
}

function checkTransport(pool: DesiredPool, monitor: DesiredHealthMonitor, member: DesiredMember): string[] {
  const ownPort = member.monitorPort !== null && member.monitorPort !== member.port;
  const memberSpeaksTls = pool.tls !== null && !ownPort;
  const tls =
    monitor.type === 'HTTPS' || monitor.type === 'TLS-HELLO' || (monitor.type === 'HTTP' && memberSpeaksTls);
  const sni = tls && monitor.domainName ? ['check-sni', monitor.domainName] : [];
  const verify = tls && pool.tls === null ? ['verify', 'none'] : [];
  const proxied = !ownPort && (pool.protocol === 'PROXY' || pool.protocol === 'PROXYV2');
  return [
    ...(tls ? ['check-ssl', ...verify, ...sni] : []),
    ...(!tls && pool.tls !== null ? ['no-check-ssl'] : []),
    ...(proxied ? ['check-send-proxy'] : []),
  ];
}

function seconds(value: number): number {
  return Math.min(Math.max(Math.trunc(value), 1), LONGEST_TIMER_S);
}
