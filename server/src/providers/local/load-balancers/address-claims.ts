import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { join } from 'node:path';
import { TaskFailed } from '../../../kernel/errors.ts';
import { readJson, writeFileAtomically } from './files.ts';
import { withMachineLock } from './machine-lock.ts';

/** 127.77.0.0/24 to 127.96.255.0/24: more blocks than one machine will ever have servers. */
const FIRST_OCTETS = { from: 77, to: 96 };
const LOCK = 'virga-address-claims';

interface Claim {
  readonly dataDir: string;
  readonly token: string;
  /** For people who look into the folder. */
  readonly pid: number;
}

/** Blocks of 254 loopback addresses, each of which belongs to one data directory of this machine.
 *
 *  A claim is a file in a folder that all users share, and it names a token that the data directory
 *  lists in turn. It therefore outlives its server, and is void as soon as the data directory is gone
 *  or no longer lists it. */
export class AddressClaims {
  readonly #folder: string;
  readonly #dataDir: string;
  readonly #listPath: string;
  /** Block (`127.77.3`) → token, as the data directory lists them. */
  readonly #own: Map<string, string>;

  constructor(options: { readonly folder: string; readonly dataDir: string; readonly listPath: string }) {
    this.#folder = options.folder;
    this.#dataDir = realpathSync(options.dataDir);
    this.#listPath = options.listPath;
    this.#own = new Map(Object.entries(readJson<Record<string, string>>(this.#listPath) ?? {}));
  }

  /** Addresses that this data directory may give away; claims another block when all are `taken`. */
  async freeAddress(isTaken: (address: string) => boolean): Promise<string> {
    return withMachineLock(LOCK, async () => {
      for (const block of [...this.#own.keys()].sort(byNumber)) {
        const address = this.#holds(block) ? firstFree(block, isTaken) : null;
        if (address) return address;
      }
      for (const block of allBlocks()) {
        if (this.#own.has(block) || !this.#claim(block)) continue;
        const address = firstFree(block, isTaken);
        if (address) return address;
      }
      throw new TaskFailed('All loopback addresses of this machine are in use.');
    });
  }

  /** Makes sure that nobody else on this machine uses the address. Addresses outside the loopback
   *  blocks belong to the machine's administrator, who alone can give them.
   *  @throws TaskFailed naming the data directory that owns it */
  async require(addresses: readonly string[]): Promise<void> {
    const blocks = new Set(addresses.map(blockOf).filter((block) => block !== null));
    const missing = [...blocks].filter((block) => !this.#holds(block));
    if (missing.length === 0) return;
    await withMachineLock(LOCK, async () => {
      for (const block of missing) {
        if (this.#claim(block)) continue;
        const owner = this.#read(block)?.dataDir ?? 'another user';
        throw new TaskFailed(
          `The addresses ${block}.0/24 belong to another server on this machine (${owner}).`,
        );
      }
    });
  }

  /** Gives all blocks back. */
  async release(): Promise<void> {
    await withMachineLock(LOCK, async () => {
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
    const token = this.#own.get(block) ?? randomUUID();
    // Listed before it is claimed: a crash between the two leaves a token without a claim, not a
    // claim that looks void.
    this.#own.set(block, token);
    try {
      this.#saveList();
      mkdirSync(this.#folder, { recursive: true });
      this.#shareFolder();
      const claim: Claim = { dataDir: this.#dataDir, token, pid: process.pid };
      writeFileAtomically(this.#path(block), JSON.stringify(claim), 0o644);
      return true;
    } catch (error) {
      if (!isPermission(error)) throw error;
      this.#own.delete(block);
      this.#saveList();
      return false;
    }
  }

  #saveList(): void {
    const entries = Object.fromEntries(this.#own);
    writeFileAtomically(this.#listPath, JSON.stringify({ ...entries }), 0o644);
  }

  /** Everybody may add claims, nobody may remove another user's. */
  #shareFolder(): void {
    try {
      chmodSync(this.#folder, 0o1777);
    } catch (error) {
      if (!isPermission(error)) throw error;
    }
  }

  #read(block: string): Claim | null {
    return readJson<Claim>(this.#path(block));
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
  try {
    const list = JSON.parse(readFileSync(listPath, 'utf8')) as Record<string, string>;
    return Object.values(list).includes(claim.token);
  } catch (error) {
    return existsSync(listPath) && isPermission(error);
  }
}

/** Where in a data directory its claims are listed. */
export const CLAIMS_LIST = join('load-balancers', 'addresses.json');

/** `127.77.3.9` → `127.77.3`; null for an address outside the claimable blocks. */
export function blockOf(address: string): string | null {
  if (!isIPv4(address)) return null;
  const [first, second, third] = address.split('.').map(Number);
  if (first !== 127 || second === undefined) return null;
  if (second < FIRST_OCTETS.from || second > FIRST_OCTETS.to) return null;
  return `127.${second}.${third}`;
}

function* allBlocks(): Generator<string> {
  for (let second = FIRST_OCTETS.from; second <= FIRST_OCTETS.to; second += 1) {
    for (let third = 0; third < 256; third += 1) yield `127.${second}.${third}`;
  }
}

function firstFree(block: string, isTaken: (address: string) => boolean): string | null {
  for (let last = 1; last < 255; last += 1) {
    const address = `${block}.${last}`;
    if (!isTaken(address)) return address;
  }
  return null;
}

function byNumber(left: string, right: string): number {
  return left.localeCompare(right, 'en', { numeric: true });
}

function isPermission(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'EACCES' || code === 'EPERM';
}
