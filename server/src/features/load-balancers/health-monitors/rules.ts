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

/** What schemas cannot say of a health monitor.
 *  @param at what the paths of its fields begin with: nothing, or a path that ends in a dot */
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
