import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { messageOf, TaskFailed } from '../../../kernel/errors.ts';
import {
  addressNumber,
  addressText,
  canonicalAddress,
  parseRange,
  rangeContains,
} from '../../../kernel/ip.ts';
import { ownCapabilities } from '../host/privileges.ts';
import { findProgram, run } from '../host/programs.ts';
import { announce } from './announce.ts';

/** Addresses that others can reach: of ranges that the region names, on an interface of this machine. What Virga puts
 *  there has a prefix of its own length (/32, /128), by which it is told from the machine's own. */

export interface AddressPool {
  /** `203.0.113.16/28`, `2001:db8::/112`. */
  readonly range: string;
  /** `eth0`. */
  readonly interface: string;
  /** Addresses and ranges that are others'. */
  readonly exclude?: readonly string[];
}

interface OnInterface {
  readonly device: string;
  readonly address: string;
  /** Whether nothing but itself is behind its prefix, as for all that Virga adds. */
  readonly isSingle: boolean;
}

export class ExternalAddresses {
  readonly #pools: readonly AddressPool[];
  readonly #log: { warn(details: object, message: string): void };

  constructor(pools: readonly AddressPool[], log: { warn(details: object, message: string): void }) {
    this.#pools = pools;
    this.#log = log;
  }

  /** Whether the region names ranges of this version. */
  has(version: 4 | 6): boolean {
    return this.#pools.some(({ range }) => parseRange(range)?.version === version);
  }

  owns(address: string): boolean {
    return this.#poolOf(canonicalAddress(address)) !== undefined;
  }

  /** Why addresses cannot be put on the interfaces here, and what would help; null: they can, or none are named. */
  fault(): string | null {
    if (this.#pools.length === 0) return null;
    if (findProgram('ip') === null)
      return 'Addresses on interfaces need the program "ip": install the Debian package "iproute2"';
    if (ownCapabilities(['net_admin']).length === 0)
      return (
        'This server may not add addresses to interfaces: run it as root, or with the capability CAP_NET_ADMIN ' +
        '("AmbientCapabilities=CAP_NET_ADMIN" in a systemd unit)'
      );
    const present = onInterfaces();
    for (const pool of this.#pools) {
      if (networkInterfaces()[pool.interface] === undefined)
        return `The interface ${pool.interface} is missing or down, on which the region has ${pool.range}`;
      const own = present.find(({ address, isSingle }) => !isSingle && isOf(pool, address));
      if (own)
        return `${pool.range} contains ${own.address}, which this machine has on ${own.device}: exclude it, or choose another range`;
    }
    return null;
  }

  /** How many addresses of this version its ranges have, and how many of those in use are of them. */
  room(version: 4 | 6, inUse: Iterable<string>): { readonly used: number; readonly total: number } {
    const spans = this.#spans(version);
    const isOwn = (address: string) => {
      const number = addressNumber(address);
      return (
        number?.version === version &&
        spans.some(({ first, last }) => number.value >= first && number.value <= last)
      );
    };
    const used = new Set([...inUse].map(canonicalAddress).filter(isOwn));
    return {
      used: used.size,
      total: Number(spans.reduce((sum, { first, last }) => sum + last - first + 1n, 0n)),
    };
  }

  /** A free address.
   *  @throws TaskFailed when there is none, or none can be put there */
  free(version: 4 | 6, isInUse: (address: string) => boolean): string {
    const fault = this.fault();
    if (fault !== null) throw new TaskFailed(fault);
    const present = new Set(onInterfaces().map(({ address }) => address));
    for (const address of this.#all(version)) if (!present.has(address) && !isInUse(address)) return address;
    throw new TaskFailed(`All addresses of the region (${this.#ranges(version).join(', ')}) are in use`);
  }

  /** Whether the interfaces have those of these addresses that are of its ranges. */
  hasAll(addresses: readonly string[]): boolean {
    return this.#missing(addresses).length === 0;
  }

  /** Adds and announces those of these addresses that are of its ranges and are missing.
   *  @returns whether there were any
   *  @throws TaskFailed when the system refuses */
  async add(addresses: readonly string[]): Promise<boolean> {
    const missing = this.#missing(addresses);
    for (const address of missing) {
      const device = this.#poolOf(address)?.interface ?? '';
      await change('replace', address, device);
      await announce(address, device).catch((error: unknown) =>
        this.#log.warn({ address, device }, `an address could not be announced: ${messageOf(error)}`),
      );
    }
    return missing.length > 0;
  }

  async remove(addresses: readonly string[]): Promise<void> {
    for (const { address, device, isSingle } of onInterfaces()) {
      const pool = this.#poolOf(address);
      if (!isSingle || pool?.interface !== device || !addresses.map(canonicalAddress).includes(address))
        continue;
      await change('del', address, device);
    }
  }

  /** Removes what servers that were killed have left.
   *  @param used addresses that something of this server is noted to have */
  async removeAbandoned(used: ReadonlySet<string>): Promise<void> {
    const kept = new Set([...used].map(canonicalAddress));
    const left = onInterfaces().filter(({ address, isSingle }) => isSingle && !kept.has(address));
    await this.remove(left.map(({ address }) => address));
  }

  #missing(addresses: readonly string[]): string[] {
    const own = addresses.map(canonicalAddress).filter((address) => this.#poolOf(address) !== undefined);
    if (own.length === 0) return [];
    const present = new Set(onInterfaces().map(({ address, device }) => `${address} ${device}`));
    return own.filter((address) => !present.has(`${address} ${this.#poolOf(address)?.interface}`));
  }

  #poolOf(address: string): AddressPool | undefined {
    return this.#pools.find((pool) => isOf(pool, address));
  }

  #ranges(version: 4 | 6): string[] {
    return this.#pools.map(({ range }) => range).filter((range) => parseRange(range)?.version === version);
  }

  /** All addresses that may be given. */
  *#all(version: 4 | 6): Generator<string> {
    for (const { first, last } of this.#spans(version))
      for (let value = first; value <= last; value += 1n) yield addressText(version, value);
  }

  #spans(version: 4 | 6): readonly Span[] {
    return this.#pools.flatMap((pool) => spansOf(pool, version));
  }
}

interface Span {
  readonly first: bigint;
  readonly last: bigint;
}

/** What may be given of a range, in order: of a network of IPv4 neither the first nor the last one, which hosts ignore, and
 *  nothing that is excluded. */
function spansOf({ range: text, exclude = [] }: AddressPool, version: 4 | 6): readonly Span[] {
  const range = parseRange(text);
  if (range?.version !== version) return [];
  const isNetwork = range.last - range.first > 1n;
  const excluded = exclude.flatMap((each) => rangeOf(each) ?? []).filter((each) => each.version === version);
  return excluded.reduce<readonly Span[]>(
    (spans, other) =>
      spans
        .flatMap(({ first, last }) => [
          { first, last: other.first - 1n < last ? other.first - 1n : last },
          { first: other.last + 1n > first ? other.last + 1n : first, last },
        ])
        .filter(({ first, last }) => first <= last),
    [isNetwork ? { first: range.first + 1n, last: range.last - 1n } : range],
  );
}

/** Of an address alone, it is the only one. */
const rangeOf = (text: string) =>
  parseRange(text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`);

const within = (range: string, address: string): boolean => {
  const parsed = rangeOf(range);
  return (
    parsed !== undefined &&
    addressNumber(address)?.version === parsed.version &&
    rangeContains(parsed, address)
  );
};

const isOf = ({ range, exclude = [] }: AddressPool, address: string): boolean =>
  within(range, address) && !exclude.some((other) => within(other, address));

function onInterfaces(): readonly OnInterface[] {
  return Object.entries(networkInterfaces()).flatMap(([device, addresses = []]) =>
    addresses.map(({ address, cidr }) => ({
      device,
      address: canonicalAddress(address),
      isSingle: /\/(?:32|128)$/.test(cidr ?? ''),
    })),
  );
}

/** No duplicate address detection: the address counts at once. An IPv6 one is never preferred, so that what this machine
 *  itself sends goes on using the addresses that it used before. */
async function change(what: 'replace' | 'del', address: string, device: string): Promise<void> {
  const isSix = isIPv6(address);
  const lasting = isSix ? ['nodad', 'valid_lft', 'forever', 'preferred_lft', '0'] : [];
  const prefix = isSix ? 128 : 32;
  const words = ['addr', what, `${address}/${prefix}`, 'dev', device, ...(what === 'del' ? [] : lasting)];
  const { exitCode, output } = await run(findProgram('ip') ?? 'ip', words, { capabilities: ['net_admin'] });
  if (exitCode === 0) return;
  // What somebody else has removed is removed.
  if (what === 'del' && !onInterfaces().some((one) => one.address === address && one.device === device))
    return;
  throw new TaskFailed(
    `${address} could not be ${what === 'del' ? 'removed from' : 'added to'} ${device}: ${output.trim()}`,
  );
}
