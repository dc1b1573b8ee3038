import { isIpAddress } from '../../platform/http/validation.ts';
import type { Faults } from './faults.ts';
import type { HealthMonitorInput } from './health-monitors/schema.ts';
import type { PoolInput } from './pools/schema.ts';
import type { HealthMonitorType, PoolProtocol } from './port.ts';

const ONLY_HTTP = ['http_method', 'http_version', 'url_path', 'domain_name', 'expected_codes'] as const;
const SPEAKS_HTTP: ReadonlySet<HealthMonitorType> = new Set(['HTTP', 'HTTPS']);
/** `200`, `200,202` or `200-204`. */
const EXPECTED_CODES = /^([1-5]\d\d(\s*,\s*[1-5]\d\d)*|[1-5]\d\d-[1-5]\d\d)$/;
const OF_UDP_POOLS: ReadonlySet<HealthMonitorType> = new Set(['UDP-CONNECT', 'TCP', 'HTTP', 'PING', 'K8S']);

export function checkHealthMonitor(
  monitor: HealthMonitorInput,
  poolProtocol: PoolProtocol,
  at: string,
  faults: Faults,
): void {
  if (monitor.timeout > monitor.delay) faults.add(`${at}timeout`, 'must not be longer than delay');
  if (poolProtocol === 'UDP' ? !OF_UDP_POOLS.has(monitor.type) : monitor.type === 'UDP-CONNECT') {
    faults.add(`${at}type`, `${monitor.type} cannot check a pool of protocol ${poolProtocol}`);
  }
  if (!SPEAKS_HTTP.has(monitor.type)) {
    for (const field of ONLY_HTTP) {
      if (monitor[field] != null) faults.add(`${at}${field}`, 'is for HTTP and HTTPS only');
    }
    return;
  }
  const codes = monitor.expected_codes;
  if (codes != null && !(EXPECTED_CODES.test(codes) && risesFromTo(codes))) {
    faults.add(`${at}expected_codes`, 'must look like 200, like 200,202 or like 200-204');
  }
  if (monitor.domain_name != null && monitor.http_version === '1.0') {
    faults.add(`${at}domain_name`, 'needs http_version 1.1');
  }
}

function risesFromTo(codes: string): boolean {
  const [first = '', last = first] = codes.split('-');
  return !codes.includes('-') || Number(first) <= Number(last);
}

export function checkPersistence(pool: PoolInput, at: string, faults: Faults): void {
  const persistence = pool.session_persistence;
  if (!persistence) return;
  const { type } = persistence;
  const field = (name: string) => `${at}session_persistence.${name}`;
  if (type !== 'SOURCE_IP' && pool.protocol !== 'HTTP') {
    faults.add(field('type'), `must be SOURCE_IP for a pool of protocol ${pool.protocol}`);
  }
  if (type === 'APP_COOKIE' && persistence.cookie_name == null) {
    faults.add(field('cookie_name'), 'is required for APP_COOKIE');
  }
  if (type !== 'APP_COOKIE' && persistence.cookie_name != null) {
    faults.add(field('cookie_name'), 'is for APP_COOKIE only');
  }
  const { persistence_timeout: timeout, persistence_granularity: granularity } = persistence;
  if (timeout != null && type !== 'SOURCE_IP')
    faults.add(field('persistence_timeout'), 'is for SOURCE_IP only');
  if (timeout != null && (timeout < 1 || timeout > 86_400)) {
    faults.add(field('persistence_timeout'), 'must be 1 to 86400 seconds');
  }
  if (granularity != null && type !== 'SOURCE_IP') {
    faults.add(field('persistence_granularity'), 'is for SOURCE_IP only');
  }
  if (granularity != null && !isIpAddress(granularity)) {
    faults.add(field('persistence_granularity'), 'must be a netmask such as 255.255.255.0');
  }
}
