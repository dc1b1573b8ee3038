import type { Faults } from '../../../kernel/faults.ts';
import type { HealthMonitorType, PoolProtocol } from '../port.ts';
import type { HealthMonitorInput } from './schema.ts';

const ONLY_HTTP = ['http_method', 'http_version', 'url_path', 'domain_name', 'expected_codes'] as const;
const SPEAKS_HTTP: ReadonlySet<HealthMonitorType> = new Set(['HTTP', 'HTTPS']);
/** `200`, `200,202` or `200-204`. */
const EXPECTED_CODES = /^([1-5]\d\d(\s*,\s*[1-5]\d\d)*|[1-5]\d\d-[1-5]\d\d)$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
const UNFIT_FOR_PATH = /[\u0000-\u0020\u007f]/;
const OF_UDP_POOLS: ReadonlySet<HealthMonitorType> = new Set(['UDP-CONNECT', 'TCP', 'HTTP', 'PING', 'K8S']);

/** As far as it is known. */
type Monitor = { readonly [F in keyof HealthMonitorInput]?: HealthMonitorInput[F] | null | undefined };

/** What schemas cannot say of a health monitor.
 *  @param poolProtocol of its pool, as far as that is known
 *  @param at what the paths of its fields begin with: nothing, or a path that ends in a dot */
export function checkHealthMonitor(
  monitor: Monitor,
  poolProtocol: PoolProtocol | undefined,
  at: string,
  faults: Faults,
): void {
  const { delay, timeout, type } = monitor;
  if (delay != null && timeout != null && timeout > delay) {
    faults.add(`${at}timeout`, 'must not be longer than delay');
  }
  if (type != null && poolProtocol && !canCheck(type, poolProtocol)) {
    faults.add(`${at}type`, `${type} cannot check a pool of protocol ${poolProtocol}`);
  }
  if (type == null || SPEAKS_HTTP.has(type)) checkRequest(monitor, at, faults);
  else refuseRequest(monitor, at, faults);
}

function refuseRequest(monitor: Monitor, at: string, faults: Faults): void {
  for (const field of ONLY_HTTP) {
    if (monitor[field] != null) faults.add(`${at}${field}`, 'is for HTTP and HTTPS only');
  }
}

const canCheck = (type: HealthMonitorType, pool: PoolProtocol): boolean =>
  pool === 'UDP' ? OF_UDP_POOLS.has(type) : type !== 'UDP-CONNECT';

/** What it asks for, and which answers are right. */
function checkRequest(monitor: Monitor, at: string, faults: Faults): void {
  const codes = monitor.expected_codes;
  if (codes != null && !(EXPECTED_CODES.test(codes) && risesFromTo(codes))) {
    faults.add(`${at}expected_codes`, 'must look like 200, like 200,202 or like 200-204');
  }
  // It is a word of a request line, which a space or line break would end.
  if (monitor.url_path != null && UNFIT_FOR_PATH.test(monitor.url_path)) {
    faults.add(`${at}url_path`, 'must not have spaces or control characters');
  }
  if (monitor.domain_name != null && monitor.http_version === '1.0') {
    faults.add(`${at}domain_name`, 'needs http_version 1.1');
  }
}

function risesFromTo(codes: string): boolean {
  const [first = '', last = first] = codes.split('-');
  return !codes.includes('-') || Number(first) <= Number(last);
}
