import type { Faults } from '../../../kernel/faults.ts';
import { netmaskBits } from '../../../kernel/ip.ts';
import { checkHealthMonitor } from '../health-monitors/rules.ts';
import { checkMembers } from '../members/rules.ts';
import { checkPoolSecrets } from '../secret-uses.ts';
import type { PoolInput, UpdatePool } from './schema.ts';

type Pool = Pick<PoolInput, 'protocol'> & Partial<PoolInput>;

/** What schemas cannot say of a pool.
 *  @param at what the paths of its fields begin with: nothing, or a path that ends in a dot */
export function checkPool(pool: Pool, at: string, faults: Faults): void {
  checkMembers(pool.members ?? [], `${at}members.`, faults);
  checkPersistence(pool, at, faults);
  checkPoolSecrets(pool, pool.protocol, at, faults);
  if (pool.healthmonitor)
    checkHealthMonitor(pool.healthmonitor, pool.protocol, `${at}healthmonitor.`, faults);
}

/** What can be said of a change without the pool. */
export function checkPoolChanges(change: UpdatePool, faults: Faults): void {
  const { healthmonitor: monitor, members, protocol } = change;
  checkMembers(members ?? [], 'members.', faults);
  checkPersistence(change, '', faults);
  if (monitor) checkHealthMonitor(monitor, protocol, 'healthmonitor.', faults);
}

function checkPersistence(
  pool: Pick<UpdatePool, 'protocol' | 'session_persistence'>,
  at: string,
  faults: Faults,
): void {
  const persistence = pool.session_persistence;
  if (!persistence) return;
  const { type } = persistence;
  const field = (name: string) => `${at}session_persistence.${name}`;
  if (type !== 'SOURCE_IP' && (pool.protocol ?? 'HTTP') !== 'HTTP') {
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
  if (granularity != null && !netmaskBits(granularity)) {
    const example = '255.255.255.0 or ffff:ffff:ffff:ffff::';
    faults.add(field('persistence_granularity'), `must be a netmask such as ${example}`);
  }
}
