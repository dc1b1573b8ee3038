import type { InvalidFields } from '../../../kernel/errors.ts';
import type { Faults } from '../../../kernel/faults.ts';
import { parseRange } from '../../../kernel/ip.ts';
import { isPasswordHash, PASSWORD_HASHES } from '../../../kernel/password-hashes.ts';
import type { ListenerProtocol, PoolProtocol } from '../port.ts';
import type { ListenerInput } from './schema.ts';

/** Which protocols a listener's pool may speak. */
export const POOL_PROTOCOLS: Readonly<Record<ListenerProtocol, readonly PoolProtocol[]>> = {
  HTTP: ['HTTP', 'PROXY', 'PROXYV2'],
  TERMINATED_HTTPS: ['HTTP', 'PROXY', 'PROXYV2'],
  HTTPS: ['HTTPS', 'TCP', 'PROXY', 'PROXYV2'],
  TCP: ['TCP', 'HTTP', 'HTTPS', 'PROXY', 'PROXYV2'],
  UDP: ['UDP'],
  PROMETHEUS: [],
};

type Protocols = ReadonlySet<ListenerProtocol>;
const READS_HTTP: Protocols = new Set(['HTTP', 'TERMINATED_HTTPS']);
const ENDS_TLS: Protocols = new Set(['TERMINATED_HTTPS', 'PROMETHEUS']);
const ASKS_USERS: Protocols = new Set([...READS_HTTP, 'PROMETHEUS']);

const named = (protocols: Protocols): string => [...protocols].join(', ').replace(/, (?=[^,]*$)/, ' and ');

/** What is wrong with a body that makes a listener and names no load balancer, under either name. */
export async function ownerFaults(body: unknown): Promise<InvalidFields> {
  const isGiven = ['load_balancer_id', 'loadbalancer_id'].some((name) => Reflect.has(Object(body), name));
  return isGiven ? {} : { load_balancer_id: ['is required'] };
}

type Listener = Pick<ListenerInput, 'protocol'> & Partial<ListenerInput>;

/** What schemas cannot say of a listener.
 *  @param at what the paths of its fields begin with: nothing, or a path that ends in a dot */
export function checkListener(listener: Listener, at: string, faults: Faults): void {
  const { protocol } = listener;
  checkSecrets(listener, at, faults);
  checkCidrs(listener.allowed_cidrs ?? [], at, faults);
  if (listener.insert_x_forwarded && !READS_HTTP.has(protocol)) {
    faults.add(`${at}insert_x_forwarded`, 'is for HTTP and TERMINATED_HTTPS only');
  }
  checkUsers(listener, at, faults);
}

/** None twice, in whatever spelling. */
function checkCidrs(cidrs: readonly string[], at: string, faults: Faults): void {
  const seen = new Set<string>();
  for (const [index, cidr] of cidrs.entries()) {
    const text = parseRange(cidr)?.text ?? cidr;
    if (seen.has(text)) faults.add(`${at}allowed_cidrs.${index}`, `${text} is given twice`);
    seen.add(text);
  }
}

/** The exporter of figures may be served over TLS too. */
function checkSecrets(listener: Listener, at: string, faults: Faults): void {
  const { protocol, secret_id: main, sni_secret_id: more } = listener;
  if (!ENDS_TLS.has(protocol)) {
    if (main) faults.add(`${at}secret_id`, `is for ${named(ENDS_TLS)} only`);
    if (more?.length) faults.add(`${at}sni_secret_id`, `is for ${named(ENDS_TLS)} only`);
    return;
  }
  if (main) return;
  if (protocol === 'TERMINATED_HTTPS') faults.add(`${at}secret_id`, 'is required for TERMINATED_HTTPS');
  else if (more?.length) faults.add(`${at}sni_secret_id`, 'needs secret_id');
}

function checkUsers(listener: Listener, at: string, faults: Faults): void {
  const users = listener.user_list ?? [];
  if (users.length > 0 && !ASKS_USERS.has(listener.protocol)) {
    faults.add(`${at}user_list`, `is for ${named(ASKS_USERS)} only`);
  }
  checkUserList(users, at, faults);
}

/** What is wrong with users, whatever their listener is. */
export function checkUserList(
  users: NonNullable<ListenerInput['user_list']>,
  at: string,
  faults: Faults,
): void {
  const names = new Set<string>();
  users.forEach(({ username, encrypted_password }, index) => {
    if (names.has(username))
      faults.add(`${at}user_list.${index}.username`, 'is used by another user of this list');
    names.add(username);
    if (!isPasswordHash(encrypted_password)) {
      faults.add(`${at}user_list.${index}.encrypted_password`, `must be ${PASSWORD_HASHES}`);
    }
  });
}

/** Why a pool cannot be behind a listener, or undefined. */
export function poolRule(pool: PoolProtocol, listener: ListenerProtocol): string | undefined {
  const fitting = POOL_PROTOCOLS[listener];
  if (fitting.includes(pool)) return undefined;
  const rule = fitting.length > 0 ? `must be ${fitting.join(', ')}` : 'no pool is possible';
  return `${rule} behind a listener of protocol ${listener}`;
}
