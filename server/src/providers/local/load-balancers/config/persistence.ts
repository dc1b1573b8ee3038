import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { DesiredPool, DesiredSessionPersistence } from '../../../../features/load-balancers/port.ts';
import { TaskFailed } from '../../../../kernel/errors.ts';
import { quote } from '../../host/quoting.ts';
import { sourceBits } from './addresses.ts';
import type { ProxyMode } from './rendering.ts';
import type { ConfigWriter } from './writer.ts';

const DEFAULT_SOURCE_TIMEOUT_S = 3600;
const LONGEST_TIMEOUT_S = 21 * 24 * 3600;
const COOKIE_NAME = /^[^\s()<>@,;:\\"/[\]?={}\u007f-\uffff][^()<>@,;:\\"/[\]?={}\u007f-\uffff]*$/;

/** The key that cookies of this pool are computed with, or null when it sets none.
 *  Derived from the id, so that a cookie stays valid over reloads, restarts and machines. */
export function dynamicCookieKey(pool: DesiredPool): string | null {
  if (pool.sessionPersistence?.type !== 'HTTP_COOKIE') return null;
  return createHash('sha256').update(`persistence of ${pool.id}`).digest('hex').slice(0, 32);
}

/** Clients that all pools of a load balancer remember together: about 20 MiB of HAProxy's memory. The one that was
 *  seen longest ago gives way. */
const REMEMBERED = 100_000;
const LEAST_REMEMBERED = 1000;

/** How many clients each of so many tables remembers. */
export function tableEntries(tables: number): number {
  return Math.max(LEAST_REMEMBERED, Math.floor(REMEMBERED / Math.max(1, tables)));
}

/** Whether the pool remembers its clients in a table (which a reload must hand on). */
export function hasTable(pool: DesiredPool): boolean {
  const type = pool.sessionPersistence?.type;
  return type === 'APP_COOKIE' || type === 'SOURCE_IP';
}

/** Backend lines that send a client to the member it had before. */
export function writePersistence(
  writer: ConfigWriter,
  { pool, mode, entries }: { readonly pool: DesiredPool; readonly mode: ProxyMode; readonly entries: number },
  addresses: readonly string[],
): void {
  const persistence = pool.sessionPersistence;
  if (!persistence) return;
  const origin = `The session persistence of pool ${pool.id}`;
  if (persistence.type !== 'SOURCE_IP' && mode === 'tcp') {
    throw new TaskFailed(`${origin}: cookies need a pool of HTTP; this one carries plain TCP`);
  }
  if (persistence.type === 'SOURCE_IP') {
    writeSourceTable(writer, persistence, { ipv6: addresses.some(isIPv6), entries, origin });
  } else if (persistence.type === 'HTTP_COOKIE') {
    writer.line(`dynamic-cookie-key ${dynamicCookieKey(pool)}`, origin);
    const name = cookieName(persistence, 'SRV', origin);
    writer.line(`cookie ${quote(name)} insert indirect nocache httponly dynamic`, origin);
    // The same pool may be behind a listener that ends TLS and one that does not.
    const whole = quote(`^(${name.replaceAll(/[$^.*+?|(){}[\]\\]/g, '\\$&')}=.*)$`);
    writer.line(`http-after-response replace-header Set-Cookie ${whole} '\\1; Secure' if { ssl_fc }`, origin);
  } else {
    const name = cookieName(persistence, null, origin);
    writer.line(`stick-table type string len 64 size ${entries} expire 24h`, origin);
    writer.line(`stick store-response ${quote(`res.cook("${name}")`)}`, origin);
    writer.line(`stick match ${quote(`req.cook("${name}")`)}`, origin);
  }
}

/** @param ipv6 whether clients may come over IPv6; those of IPv4 then stand in the table as mapped addresses */
function writeSourceTable(
  writer: ConfigWriter,
  persistence: DesiredSessionPersistence,
  { ipv6, entries, origin }: { readonly ipv6: boolean; readonly entries: number; readonly origin: string },
): void {
  const desired = persistence.persistenceTimeout ?? DEFAULT_SOURCE_TIMEOUT_S;
  const timeout = Math.min(Math.max(desired, 1), LONGEST_TIMEOUT_S);
  writer.line(`stick-table type ${ipv6 ? 'ipv6' : 'ip'} size ${entries} expire ${timeout}s`, origin);
  const { persistenceGranularity: granularity } = persistence;
  const bits = granularity ? sourceBits(granularity) : null;
  writer.line(bits === null ? 'stick on src' : `stick on src,ipmask(${bits[4]},${bits[6]})`, origin);
}

function cookieName(persistence: DesiredSessionPersistence, fallback: string | null, origin: string): string {
  const name = persistence.cookieName ?? fallback;
  if (name === null) throw new TaskFailed(`${origin} needs the name of the application's cookie`);
  if (!COOKIE_NAME.test(name)) throw new TaskFailed(`${origin}: ${JSON.stringify(name)} is no cookie name`);
  return name;
}
