import { join } from 'node:path';
import type { AddressProvider, AddressSource } from '../../../features/networking/addresses/port.ts';
import { type Progress, READY } from '../../../kernel/operation.ts';
import { removeAbandonedFolders } from '../../../kernel/short-folders.mjs';
import { removeAbandonedRoots } from '../host/engine-root.ts';
import type { OwnerFence } from '../host/owner-fence.ts';
import { removeAbandoned } from './abandoned.ts';
import { AddressClaims, CLAIMS_LIST } from './claims.ts';
import type { ExternalAddresses } from './external.ts';
import {
  addToLoopback,
  hasAddresses,
  interfaceAddresses,
  ipv6FaultOf,
  removeFromLoopback,
} from './loopback.ts';
import { listeningSockets } from './sockets.ts';
import { subnetFault } from './space.ts';

/** Folder in which all servers of a machine note the addresses that they use. */
const CLAIMS_FOLDER = '/var/tmp/virga-addresses';
/** What was handed out and not used after this long is free again. */
const GRACE_MS = 60_000;
/** Milliseconds from reading which addresses are in use to asking for a free one, and more. */
const READ_MS = 200;

export interface LocalAddressesOptions {
  readonly dataDir: string;
  /** Milliseconds; absent: since some moment. */
  readonly clock?: () => number;
  readonly log: { warn(details: object, message: string): void };
  /** Says whether this process may change anything. Absent: nobody else could. */
  readonly fence?: Pick<OwnerFence, 'hold'>;
  /** Addresses that others can reach. Absent: everything stays on loopback. */
  readonly external?: ExternalAddresses;
  /** Addresses of all that the region runs, also of what is down. */
  readonly inUse: () => readonly string[];
}

const versionOf = (within: AddressSource | undefined): 4 | 6 => (within?.cidr.includes(':') ? 6 : 4);

/** Addresses first: claims that are void say whose they were. */
async function clearAway(
  used: ReadonlySet<string>,
  claims: AddressClaims,
  external: ExternalAddresses | undefined,
): Promise<void> {
  await external?.removeAbandoned(used);
  await removeAbandoned(used, claims);
  await claims.removeVoid();
  removeAbandonedRoots();
  removeAbandonedFolders();
}

/** Gives addresses of this machine that nobody else has, out of blocks that this data directory has claimed. */
export class LocalAddresses implements AddressProvider {
  readonly #options: LocalAddressesOptions;
  /** Addresses that were given and are not yet seen in use, and since when. */
  readonly #reserved = new Map<string, number>();
  #claims: AddressClaims;
  #abandoned: Promise<void> | undefined;

  constructor(options: LocalAddressesOptions) {
    this.#options = options;
    this.#claims = this.#readClaims();
  }

  get claims(): AddressClaims {
    return this.#claims;
  }

  /** Only addresses of this machine's loopback network can be bound, and only unique local ones added to it. */
  subnetFault(cidr: string): string | null {
    return subnetFault(cidr);
  }

  ipv6Fault(cidr: string): Promise<string | null> {
    return ipv6FaultOf(cidr);
  }

  allocateAddress(inUse: ReadonlySet<string>, _id?: string, within?: AddressSource): Promise<string> {
    const allocate = () => this.#allocate([...inUse, ...this.#options.inUse()], within);
    return this.#options.fence ? this.#options.fence.hold(allocate) : allocate();
  }

  /** A free address for a service that is not a load balancer.
   *  @param reach who is to reach it
   *  @throws TaskFailed when there is none */
  allocateHost(inUse: ReadonlySet<string>, reach: 'others' | 'machine'): Promise<string> {
    const used = () => [...inUse, ...this.#options.inUse()];
    const allocate = () => this.#allocate(used(), reach === 'others' ? undefined : 'loopback');
    return this.#options.fence ? this.#options.fence.hold(allocate) : allocate();
  }

  /** Whether another machine has what the region has here.
   *  @param addresses that it need not have here; absent: those that it has
   *  @returns undefined when none could be asked for */
  async isElsewhere(addresses?: readonly string[]): Promise<boolean | undefined> {
    const { external, inUse } = this.#options;
    return external?.isElsewhere(addresses ?? external.present(inUse()));
  }

  /** An address like any other: what makes it a floating IP is that it outlives its load balancers. */
  allocateFloatingAddress(inUse: ReadonlySet<string>): Promise<string> {
    return this.allocateAddress(inUse);
  }

  async changeAddress(): Promise<Progress> {
    return READY;
  }

  #now(): number {
    return (this.#options.clock ?? (() => performance.now()))();
  }

  /** @param used addresses that are given away already, whether they are bound or not
   *  @param source the subnet it has to be of; absent: the region's own, which others reach if it names where */
  async #allocate(used: Iterable<string>, source: AddressSource | 'loopback' | undefined): Promise<string> {
    const within = source === 'loopback' ? undefined : source;
    const now = this.#now();
    const listening = [...(listeningSockets('tcp') ?? []), ...(listeningSockets('udp') ?? [])];
    const others = [...listening, ...interfaceAddresses()].map(({ address }) => address);
    const inUse = new Set([...used, ...others]);
    for (const [address, since] of this.#reserved) {
      if (now - since > GRACE_MS) this.#reserved.delete(address);
    }
    const isInUse = (candidate: string) => inUse.has(candidate) || this.#reserved.has(candidate);
    const address =
      source !== 'loopback' && this.#isExternal(within)
        ? this.#external(within, isInUse)
        : within
          ? await this.#claims.freeAddressOf(within, isInUse)
          : await this.#claims.freeAddress(isInUse);
    this.#reserved.set(address, now);
    return address;
  }

  /** What is of no subnet of a project is the region's own, which names where that is from. */
  #isExternal(within: AddressSource | undefined): boolean {
    const { external } = this.#options;
    if (within && !within.external) return false;
    return external?.has(versionOf(within)) ?? false;
  }

  #external(within: AddressSource | undefined, isInUse: (address: string) => boolean): string {
    return this.#options.external?.free(versionOf(within), isInUse) ?? '';
  }

  #onLoopback(addresses: readonly string[]): readonly string[] {
    const { external } = this.#options;
    return external ? addresses.filter((address) => !external.owns(address)) : addresses;
  }

  /** Why addresses that others can reach cannot be had at present; null: they can, or the region has none. */
  externalFault(): string | null {
    return this.#options.external?.fault() ?? null;
  }

  /** Whether this machine has those of these addresses that have to be added to an interface. */
  hasAll(addresses: readonly string[]): boolean {
    const { external } = this.#options;
    return hasAddresses(this.#onLoopback(addresses)) && (external?.hasAll(addresses) ?? true);
  }

  /** Whether this machine has addresses of the region's ranges. */
  hasExternal(): boolean {
    return this.external().length > 0;
  }

  /** Those of the region's ranges that this machine has. */
  external(): readonly string[] {
    return this.#options.external?.here() ?? [];
  }

  /** Removes all addresses of the region's ranges from this machine: another one serves the region. */
  async leaveExternal(): Promise<void> {
    await this.#options.external?.removeAbandoned(new Set());
  }

  /** Adds those of these addresses that are missing to their interfaces, and announces them.
   *  @returns whether there were any
   *  @throws TaskFailed when an address is another interface's, or the system refuses */
  async add(addresses: readonly string[]): Promise<boolean> {
    const onLoopback = await addToLoopback(this.#onLoopback(addresses));
    return ((await this.#options.external?.add(addresses)) ?? false) || onLoopback;
  }

  /** Removes them again. */
  async remove(addresses: readonly string[]): Promise<void> {
    await removeFromLoopback(this.#onLoopback(addresses));
    await this.#options.external?.remove(addresses);
  }

  /** What the database says counts from now on. Who has read it just before still asks for a free one. */
  stored(address: string): void {
    if (this.#reserved.has(address)) this.#reserved.set(address, this.#now() - GRACE_MS + READ_MS);
  }

  /** They are in use now, which can be seen. */
  settle(addresses: readonly string[]): void {
    for (const address of addresses) this.#reserved.delete(address);
  }

  /** Removes what a killed server left on the loopback interface: once, before anything gets an address.
   *  @param used addresses that something of this server is noted to have */
  removeAbandoned(used: () => readonly string[]): Promise<void> {
    const all = () => new Set([...used(), ...this.#options.inUse()]);
    this.#abandoned ??= clearAway(all(), this.#claims, this.#options.external).catch((error: unknown) => {
      this.#options.log.warn({ err: error }, 'what a killed server left on this machine stays there');
    });
    return this.#abandoned;
  }

  /** Another process may claim more from now on: what is on the disk counts. */
  reread(): void {
    this.#reserved.clear();
    this.#abandoned = undefined;
    this.#claims = this.#readClaims();
  }

  #readClaims(): AddressClaims {
    const { dataDir } = this.#options;
    return new AddressClaims({ folder: CLAIMS_FOLDER, dataDir, listPath: join(dataDir, CLAIMS_LIST) });
  }
}
