import { join } from 'node:path';
import type { AddressSource } from '../../../features/load-balancers/port.ts';
import { removeAbandonedFolders } from '../../../kernel/short-folders.ts';
import { removeAbandoned } from './abandoned-addresses.ts';
import { AddressClaims, CLAIMS_LIST } from './address-claims.ts';
import { removeAbandonedRoots } from './engine-root.ts';
import { interfaceAddresses } from './loopback.ts';
import { listeningSockets } from './sockets.ts';

/** Folder in which all servers of a machine note the addresses that they use. */
const DEFAULT_CLAIMS_FOLDER = '/var/tmp/virga-addresses';
/** What was handed out and not used after this long is free again. */
const GRACE_MS = 60_000;

export interface AddressAllocationOptions {
  readonly dataDir: string;
  readonly claimsFolder?: string | undefined;
  /** Milliseconds. */
  readonly now: () => number;
  readonly log: { warn(details: object, message: string): void };
}

/** Addresses first: claims that are void say whose they were. */
async function clearAway(root: string, claims: AddressClaims): Promise<void> {
  await removeAbandoned(root, claims);
  await claims.removeVoid();
  removeAbandonedRoots();
  removeAbandonedFolders();
}

/** Hands out addresses of this machine that nobody else has, out of blocks that this data directory has claimed. */
export class AddressAllocation {
  readonly #options: AddressAllocationOptions;
  /** Addresses handed out and not yet seen in use, and since when. */
  readonly #reserved = new Map<string, number>();
  #claims: AddressClaims;
  #abandoned: Promise<void> | undefined;

  constructor(options: AddressAllocationOptions) {
    this.#options = options;
    this.#claims = this.#readClaims();
  }

  get claims(): AddressClaims {
    return this.#claims;
  }

  /** @param used addresses that are given away already, whether they are bound or not
   *  @param within the subnet it has to be of; absent: the region's own
   *  @throws TaskFailed when there is none left */
  async allocate(used: Iterable<string>, within: AddressSource | undefined): Promise<string> {
    const now = this.#options.now();
    const listening = [...(listeningSockets('tcp') ?? []), ...(listeningSockets('udp') ?? [])];
    const others = [...listening, ...interfaceAddresses()].map(({ address }) => address);
    const inUse = new Set([...used, ...others]);
    for (const [address, since] of this.#reserved) {
      if (now - since > GRACE_MS) this.#reserved.delete(address);
    }
    const isInUse = (candidate: string) => inUse.has(candidate) || this.#reserved.has(candidate);
    const address = within
      ? await this.#claims.freeAddressOf(within, isInUse)
      : await this.#claims.freeAddress(isInUse);
    this.#reserved.set(address, now);
    return address;
  }

  /** They are in use now, which can be seen. */
  settle(addresses: readonly string[]): void {
    for (const address of addresses) this.#reserved.delete(address);
  }

  /** Removes what a killed server left on the loopback interface: once, before anything gets an address. */
  removeAbandoned(root: string): Promise<void> {
    this.#abandoned ??= clearAway(root, this.#claims).catch((error: unknown) => {
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
    const { dataDir, claimsFolder: folder = DEFAULT_CLAIMS_FOLDER } = this.#options;
    return new AddressClaims({ folder, dataDir, listPath: join(dataDir, CLAIMS_LIST) });
  }
}
