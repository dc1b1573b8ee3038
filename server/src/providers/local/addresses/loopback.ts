import { existsSync, readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { TaskFailed } from '../../../kernel/errors.ts';
import { readText } from '../../../kernel/files.ts';
import { withHostLock } from '../../../kernel/host-lock.ts';
import { addressNumber, canonicalAddress, parseRange, rangesOverlap } from '../../../kernel/ip.ts';
import { findProgram, run } from '../host/programs.ts';
import { LOOPBACK_PROBE } from './space.ts';

/** IPv6 addresses of the loopback interface. IPv4 has 127.0.0.0/8 to choose from; an IPv6 address answers only
 *  once it has been added to an interface, which the kernel allows to administrators alone. */

const IPV6_ADDRESSES = '/proc/net/if_inet6';
const IPV6_ROUTES = '/proc/net/ipv6_route';
const SWITCHED_OFF = '/proc/sys/net/ipv6/conf/lo/disable_ipv6';
const CAP_NET_ADMIN = 12n;
const LOCK = 'virga-loopback-probe';

let proven = false;

/** Why this server cannot have IPv6 addresses on the loopback interface, and what would help; null: it can. That
 *  is tried once, with an address that nothing else uses. */
export async function ipv6Fault(): Promise<string | null> {
  const fault = visibleFault();
  if (fault !== null || proven) return fault;
  try {
    await withHostLock(LOCK, async () => {
      await change('replace', LOOPBACK_PROBE);
      await change('del', LOOPBACK_PROBE);
    });
    proven = true;
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The part of `ipv6Fault` that can be seen without trying. */
export function visibleFault(): string | null {
  if (process.platform !== 'linux') return 'IPv6 addresses of load balancers need Linux';
  if (!existsSync(IPV6_ADDRESSES)) return 'This machine has no IPv6: its kernel was started without it';
  if (readText(SWITCHED_OFF)?.trim() !== '0') {
    return 'IPv6 is switched off here: switch it on with "sysctl net.ipv6.conf.lo.disable_ipv6=0"';
  }
  if (findProgram('ip') === null) {
    return 'IPv6 addresses need the program "ip": install the Debian package "iproute2"';
  }
  if (mayChangeInterfaces()) return null;
  return (
    'This server may not add IPv6 addresses to the loopback interface: run it as root, or with the capability ' +
    'CAP_NET_ADMIN ("AmbientCapabilities=CAP_NET_ADMIN" in a systemd unit, "--cap-add NET_ADMIN" for a container)'
  );
}

/** Programs that root starts have every capability that it may have; those of others need it as an ambient one. */
function mayChangeInterfaces(): boolean {
  const name = process.geteuid?.() === 0 ? 'CapEff' : 'CapAmb';
  const mask = new RegExp(`^${name}:\\s*([0-9a-f]+)$`, 'm').exec(readText('/proc/self/status') ?? '')?.[1];
  return mask !== undefined && ((BigInt(`0x${mask}`) >> CAP_NET_ADMIN) & 1n) === 1n;
}

/** An IPv6 address that an interface of this machine has. */
export interface InterfaceAddress {
  readonly address: string;
  readonly device: string;
  readonly prefix: number;
}

export function interfaceAddresses(): readonly InterfaceAddress[] {
  return linesOf(IPV6_ADDRESSES).map(([hex = '', , prefix = '', , , device = '']) => ({
    address: addressOf(hex),
    device,
    prefix: Number.parseInt(prefix, 16),
  }));
}

/** Single addresses of the loopback interface, `::1` among them. */
export function loopbackAddresses(): ReadonlySet<string> {
  const single = interfaceAddresses().filter(({ device, prefix }) => device === 'lo' && prefix === 128);
  return new Set(single.map(({ address }) => address));
}

/** Whether the loopback interface has the IPv6 ones of these addresses. */
export function hasAddresses(addresses: readonly string[]): boolean {
  return missing(addresses).length === 0;
}

/** Adds the IPv6 ones of these addresses that the loopback interface does not have.
 *  @returns whether there were any
 *  @throws TaskFailed when an address is another interface's, or the system refuses */
export async function addToLoopback(addresses: readonly string[]): Promise<boolean> {
  const absent = missing(addresses);
  if (absent.length === 0) return false;
  const fault = visibleFault();
  if (fault !== null) throw new TaskFailed(fault);
  const elsewhere = interfaceAddresses().find(({ address }) => absent.includes(address));
  if (elsewhere) throw new TaskFailed(`${elsewhere.address} is an address of ${elsewhere.device}`);
  for (const address of absent) await change('replace', address);
  return true;
}

/** Removes the IPv6 ones of these addresses from the loopback interface. */
export async function removeFromLoopback(addresses: readonly string[]): Promise<void> {
  const ipv6 = sixes(addresses);
  if (ipv6.length === 0) return;
  const present = loopbackAddresses();
  for (const address of ipv6) if (present.has(address)) await change('del', address);
}

const sixes = (addresses: readonly string[]) => addresses.filter(isIPv6).map(canonicalAddress);

/** The kernel's list is searched as text: this is asked every second for each load balancer with such an address. */
function missing(addresses: readonly string[]): string[] {
  const ipv6 = sixes(addresses);
  if (ipv6.length === 0) return [];
  const list = readText(IPV6_ADDRESSES) ?? '';
  return ipv6.filter((address) => !new RegExp(`^${hexOf(address)} .* lo$`, 'm').test(list));
}

function hexOf(address: string): string {
  return (addressNumber(address)?.value ?? 0n).toString(16).padStart(32, '0');
}

/** No duplicate address detection: the address counts at once. Never preferred: what this machine itself sends
 *  goes on using the addresses that it used before. */
async function change(what: 'replace' | 'del', address: string): Promise<void> {
  if (!isIPv6(address) || address.includes('%')) throw new TaskFailed(`${address} is no IPv6 address`);
  const program = findProgram('ip') ?? 'ip';
  const lasting = ['nodad', 'valid_lft', 'forever', 'preferred_lft', '0'];
  const words = ['-6', 'addr', what, `${address}/128`, 'dev', 'lo', ...(what === 'del' ? [] : lasting)];
  const { exitCode, output } = await run(program, words, { capabilities: ['net_admin'] });
  if (exitCode === 0 || (what === 'del' && !loopbackAddresses().has(canonicalAddress(address)))) return;
  const verb = what === 'del' ? 'removed from' : 'added to';
  throw new TaskFailed(`${address} could not be ${verb} the loopback interface: ${output.trim()}`);
}

/** Why load balancers cannot have addresses of this IPv6 subnet here and now, or null: they can. A machine that
 *  reaches others in it would no longer reach those whose addresses it gave itself. */
export async function ipv6FaultOf(cidr: string): Promise<string | null> {
  const fault = await ipv6Fault();
  if (fault !== null) return fault;
  const route = routeInto(cidr);
  if (!route) return null;
  return `${cidr} overlaps ${route.cidr}, which this machine reaches through ${route.device}: choose another subnet`;
}

function routeInto(cidr: string): { readonly cidr: string; readonly device: string } | undefined {
  const range = parseRange(cidr);
  if (!range) return undefined;
  return linesOf(IPV6_ROUTES)
    .map((fields) => ({
      cidr: `${addressOf(fields[0] ?? '')}/${Number.parseInt(fields[1] ?? '', 16)}`,
      device: fields.at(-1) ?? '',
    }))
    .find((route) => {
      const other = parseRange(route.cidr);
      // A default route, and one for all unique local addresses, says nothing about who is there.
      const specific = !/\/[0-8]$/.test(route.cidr);
      return other && specific && route.device !== 'lo' && rangesOverlap(range, other);
    });
}

function linesOf(file: string): string[][] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.filter(Boolean).map((line) => line.trim().split(/\s+/));
}

const addressOf = (hex: string) => canonicalAddress((hex.match(/.{4}/g) ?? []).join(':'));
