import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type AddressPoolRange, type AddressRoom, roomOf, spansOf } from '../../../kernel/address-pools.ts';
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
import { isElsewhere } from './conflict.ts';

/** Addresses that others can reach: of ranges that the region names, on an interface of this machine. What Virga puts
 *  there has a prefix of its own length (/32, /128), by which it is told from the machine's own. */

export interface AddressPool extends AddressPoolRange {
  /** `eth0`. */
  readonly interface: string;
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
  room(version: 4 | 6, inUse: Iterable<string>): AddressRoom {
    return roomOf(this.#pools, version, inUse);
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

  /** Addresses of its ranges that Virga has put on the interfaces. */
  here(): readonly string[] {
    return onInterfaces()
      .filter(({ address, device, isSingle }) => isSingle && this.#poolOf(address)?.interface === device)
      .map(({ address }) => address);
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

  /** Those of these addresses that are of its ranges, and that this machine has. */
  present(addresses: readonly string[]): readonly string[] {
    const missing = new Set(this.#missing(addresses));
    return this.#own(addresses).filter((address) => !missing.has(address));
  }

  /** Whether another machine answers for those of these addresses that are of its ranges.
   *  @returns undefined when none could be asked for */
  async isElsewhere(addresses: readonly string[]): Promise<boolean | undefined> {
    let answer: boolean | undefined;
    const own = this.#own(addresses);
    for (const device of new Set(own.map((address) => this.#poolOf(address)?.interface ?? ''))) {
      const there = own.filter((address) => this.#poolOf(address)?.interface === device);
      const isThere = await isElsewhere(there, device);
      if (isThere) return true;
      answer ??= isThere;
    }
    return answer;
  }

  /** Removes what servers that were killed have left.
   *  @param used addresses that something of this server is noted to have */
  async removeAbandoned(used: ReadonlySet<string>): Promise<void> {
    const kept = new Set([...used].map(canonicalAddress));
    const left = onInterfaces().filter(({ address, isSingle }) => isSingle && !kept.has(address));
    await this.remove(left.map(({ address }) => address));
  }

  /** Those that are of its ranges. */
  #own(addresses: readonly string[]): readonly string[] {
    return addresses.map(canonicalAddress).filter((address) => this.#poolOf(address) !== undefined);
  }

  #missing(addresses: readonly string[]): string[] {
    const own = this.#own(addresses);
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
    for (const { first, last } of this.#pools.flatMap((pool) => spansOf(pool, version)))
      for (let value = first; value <= last; value += 1n) yield addressText(version, value);
  }
}

const within = (range: string, address: string): boolean => {
  const parsed = parseRange(range);
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
