import { randomUUID } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { TaskFailed } from '../../../kernel/errors.ts';
import { readJson, writeFileAtomically } from '../../../kernel/files.ts';
import { withHostLock } from '../../../kernel/host-lock.ts';
import { hostsOf, parseRange } from '../../../kernel/ip.ts';
import { readForeignText } from '../host/files.ts';
import { blockOf, blockText, firstFree, isPoolBlock, isVirgaOwn, poolBlocks } from './space.ts';

/** Name of the lock under which claims change. */
export const CLAIMS_LOCK = 'virga-address-claims';

interface Claim {
  readonly dataDir: string;
  readonly token: string;
  /** For people who look into the folder. */
  readonly pid: number;
}

/** Blocks of loopback addresses (254 in IPv4, 256 in IPv6), each of which belongs to one data directory of this
 *  machine.
 *
 *  A claim is a file in a folder that all users share, and it names a token that the data directory
 *  lists in turn. It therefore outlives its server, and is void as soon as the data directory is gone
 *  or no longer lists it. */
export class AddressClaims {
  readonly #folder: string;
  readonly #dataDir: string;
  readonly #listPath: string;
  /** Block (`127.77.3`, `fd12::100`) → token, as the data directory lists them. */
  readonly #own: Map<string, string>;

  constructor(options: { readonly folder: string; readonly dataDir: string; readonly listPath: string }) {
    this.#folder = options.folder;
    this.#dataDir = realpathSync(options.dataDir);
    this.#listPath = options.listPath;
    this.#own = new Map(Object.entries(readJson<Record<string, string>>(this.#listPath) ?? {}));
  }

  /** Addresses that this data directory may give away; claims another block when all are in use. */
  async freeAddress(isInUse: (address: string) => boolean): Promise<string> {
    return withHostLock(CLAIMS_LOCK, async () => {
      for (const block of [...this.#own.keys()].filter(isPoolBlock).sort(byNumber)) {
        const address = this.#holds(block) ? firstFree(block, isInUse) : null;
        if (address) return address;
      }
      for (const block of poolBlocks()) {
        if (this.#own.has(block) || !this.#claim(block)) continue;
        const address = firstFree(block, isInUse);
        if (address) return address;
      }
      throw new TaskFailed('All loopback addresses of this machine are in use');
    });
  }

  /** The first address of a subnet that this data directory may give away; the blocks that it lies in are claimed
   *  as it goes.
   *  @throws TaskFailed when every address is in use or belongs to another server */
  async freeAddressOf(
    { cidr, gateway }: { readonly cidr: string; readonly gateway: string | null },
    isInUse: (address: string) => boolean,
  ): Promise<string> {
    const range = parseRange(cidr);
    return withHostLock(CLAIMS_LOCK, async () => {
      const foreign = new Set<string>();
      for (const address of range ? hostsOf(range) : []) {
        const block = blockOf(address);
        if (block === null || foreign.has(block) || address === gateway || isInUse(address)) continue;
        if (this.#claim(block)) return address;
        foreign.add(block);
      }
      const others = foreign.size > 0 ? '; other servers on this machine use some of it' : '';
      throw new TaskFailed(`Subnet ${cidr} has no free address${others}`);
    });
  }

  /** Makes sure that nobody else on this machine uses the address. Addresses outside the loopback
   *  blocks belong to the machine's administrator, who alone can give them.
   *  @throws TaskFailed naming the data directory that owns it */
  async require(addresses: readonly string[]): Promise<void> {
    const blocks = new Set(addresses.map(blockOf).filter((block) => block !== null));
    const missing = [...blocks].filter((block) => !this.#holds(block));
    if (missing.length === 0) return;
    await withHostLock(CLAIMS_LOCK, async () => {
      for (const block of missing) {
        if (this.#claim(block)) continue;
        const owner = this.#read(block)?.dataDir ?? 'another user';
        throw new TaskFailed(
          `The addresses ${blockText(block)} belong to another server on this machine (${owner})`,
        );
      }
    });
  }

  /** Has those of these addresses removed, which the loopback interface has, that nobody stands behind any more: this
   *  data directory claims them and does not use them, or their claim is void, or they are Virga's, nobody claims
   *  them and nobody listens there. Nobody can claim them while they are being removed. */
  async removeAbandoned(
    present: Iterable<string>,
    used: ReadonlySet<string>,
    isHeard: (address: string) => boolean,
    remove: (addresses: readonly string[]) => Promise<void>,
  ): Promise<void> {
    await withHostLock(CLAIMS_LOCK, () =>
      remove(
        [...present].filter((address) => {
          const block = blockOf(address);
          if (block === null || used.has(address)) return false;
          const claim = this.#read(block);
          if (claim === null) return isVirgaOwn(address) && !isHeard(address);
          return this.#holds(block) || !isValid(claim, this.#dataDir);
        }),
      ),
    );
  }

  /** Takes over the blocks of another data directory, with nobody able to claim them in between.
   *  Those of another user stay his. */
  async inherit(dataDir: string): Promise<void> {
    const list = readJson<Record<string, string>>(join(dataDir, CLAIMS_LIST)) ?? {};
    const from = realpathOf(dataDir);
    if (from === null || from === this.#dataDir) return;
    await withHostLock(CLAIMS_LOCK, async () => {
      for (const [block, token] of Object.entries(list)) {
        const claim = this.#read(block);
        if (claim?.dataDir === from && claim.token === token) this.#claimed(block);
      }
    });
  }

  /** Gives all blocks back. */
  async release(): Promise<void> {
    await withHostLock(CLAIMS_LOCK, async () => {
      for (const block of this.#own.keys()) {
        if (this.#holds(block)) rmSync(this.#path(block), { force: true });
      }
      this.#own.clear();
      rmSync(this.#listPath, { force: true });
    });
  }

  #holds(block: string): boolean {
    const claim = this.#read(block);
    return claim !== null && claim.dataDir === this.#dataDir && claim.token === this.#own.get(block);
  }

  /** @returns false when somebody else has it, or its void claim cannot be removed by this user */
  #claim(block: string): boolean {
    if (this.#holds(block)) return true;
    const existing = this.#read(block);
    if (existing && isValid(existing, this.#dataDir)) return false;
    return this.#claimed(block);
  }

  /** @returns false when this user may not */
  #claimed(block: string): boolean {
    const token = this.#own.get(block) ?? randomUUID();
    // Listed before it is claimed: a crash between the two leaves a token without a claim, not a
    // claim that looks void.
    this.#own.set(block, token);
    try {
      this.#saveList();
      this.#shareFolder();
      const claim: Claim = { dataDir: this.#dataDir, token, pid: process.pid };
      writeFileAtomically(this.#path(block), JSON.stringify(claim), { mode: 0o644 });
      return true;
    } catch (error) {
      this.#own.delete(block);
      this.#saveList();
      if (!isPermission(error)) throw error;
      return false;
    }
  }

  #saveList(): void {
    const entries = Object.fromEntries(this.#own);
    mkdirSync(dirname(this.#listPath), { recursive: true });
    writeFileAtomically(this.#listPath, JSON.stringify({ ...entries }), { mode: 0o644 });
  }

  /** Makes the folder, in which everybody may add claims and nobody may remove another user's. Others can write
   *  beside it: what is a link there is not followed.
   *  @throws TaskFailed when it is no folder */
  #shareFolder(): void {
    mkdirSync(dirname(this.#folder), { recursive: true });
    if (!lstatSync(this.#folder, { throwIfNoEntry: false })) mkdirSync(this.#folder);
    let folder: number;
    try {
      folder = openSync(this.#folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    } catch (error) {
      throw new TaskFailed(`${this.#folder} is not a folder: ${(error as Error).message}`);
    }
    try {
      const { uid, mode } = fstatSync(folder);
      if (uid === process.getuid?.() && (mode & 0o7777) !== 0o1777) fchmodSync(folder, 0o1777);
    } finally {
      closeSync(folder);
    }
  }

  /** Removes claims of data directories that are gone, as far as this user may. */
  async removeVoid(): Promise<void> {
    if (!existsSync(this.#folder)) return;
    await withHostLock(CLAIMS_LOCK, async () => {
      for (const block of readdirSync(this.#folder).filter((name) => /^[0-9a-f.:]+$/.test(name))) {
        const claim = this.#read(block);
        if (!claim || claim.dataDir === this.#dataDir || isValid(claim, this.#dataDir)) continue;
        try {
          rmSync(this.#path(block), { force: true });
        } catch (error) {
          if (!isPermission(error)) throw error;
        }
      }
    });
  }

  #read(block: string): Claim | null {
    const claim = parsed(readForeignText(this.#path(block)));
    const { dataDir, token } = (claim ?? {}) as Partial<Claim>;
    return typeof dataDir === 'string' && typeof token === 'string' ? (claim as Claim) : null;
  }

  #path(block: string): string {
    return join(this.#folder, block);
  }
}

/** Whether the claim's data directory still stands behind it. A directory that may not be looked
 *  into (another user's) gets the benefit of the doubt. */
function isValid(claim: Claim, ownDataDir: string): boolean {
  if (claim.dataDir === ownDataDir) return false;
  try {
    readdirSync(claim.dataDir);
  } catch (error) {
    return isPermission(error);
  }
  const listPath = join(claim.dataDir, CLAIMS_LIST);
  const list = parsed(readForeignText(listPath));
  if (list !== null) return Object.values(list).includes(claim.token);
  try {
    accessSync(listPath, constants.R_OK);
    return false;
  } catch (error) {
    return isPermission(error);
  }
}

function parsed(text: string | null): object | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/** Where in a data directory its claims are listed. */
export const CLAIMS_LIST = join('load-balancers', 'addresses.json');

function realpathOf(directory: string): string | null {
  try {
    return realpathSync(directory);
  } catch {
    return null;
  }
}

function byNumber(left: string, right: string): number {
  return left.localeCompare(right, 'en', { numeric: true });
}

function isPermission(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'EACCES' || code === 'EPERM';
}
