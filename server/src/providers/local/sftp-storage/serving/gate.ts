import { createHash, scrypt, timingSafeEqual } from 'node:crypto';
import { ftruncateSync, readFileSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import ssh2, { type ParsedKey, type PublicKeyAuthContext } from 'ssh2';
import type { Access } from '../orders.ts';

/** Who may come in, and stay in. */

/** By what somebody has come in. */
export type Ticket = { readonly user: string } & (
  | { readonly passwordHash: string }
  | { readonly publicKey: string }
);

const LOOK_EVERY_MS = 250;
const NOBODY: Access = { user: '', passwordHash: null, publicKeys: [], expiresAt: null };
/** Is checked when there is no password, so that an answer does not show that by its time. */
const NO_HASH = `scrypt:16384:${'A'.repeat(22)}:${'A'.repeat(43)}`;

const derive = promisify<string, Buffer, number, { N: number }, Buffer>(scrypt);

async function fits(password: string, hash: string): Promise<boolean> {
  const [, cost, salt = '', text = ''] = hash.split(':');
  const expected = Buffer.from(text, 'base64url');
  const got = await derive(password, Buffer.from(salt, 'base64url'), expected.length, { N: Number(cost) });
  return timingSafeEqual(got, expected);
}

export class Gate {
  readonly #path: string;
  readonly #seen: number;
  readonly #onChange = new Set<() => void>();
  #text = '';
  #access = NOBODY;

  /** @param seen a file that gets the digest of what counts */
  constructor(path: string, seen: number) {
    this.#path = path;
    this.#seen = seen;
    this.look();
    setInterval(() => this.look(), LOOK_EVERY_MS).unref();
  }

  onChange(listener: () => void): void {
    this.#onChange.add(listener);
  }

  forget(listener: () => void): void {
    this.#onChange.delete(listener);
  }

  /** Reads who may come in, should that have changed. */
  look(): void {
    const hasEnded = this.#access.expiresAt !== null && this.#hasEnded();
    const text = readOrNothing(this.#path);
    if (text === this.#text && !hasEnded) return;
    this.#access = text === '' ? NOBODY : (JSON.parse(text) as Access);
    for (const listener of this.#onChange) listener();
    if (text === this.#text) return;
    this.#text = text;
    ftruncateSync(this.#seen, 0);
    writeSync(this.#seen, digestOf(text), 0);
  }

  /** Whether who has come in so may stay. */
  holds(ticket: Ticket): boolean {
    const { user, passwordHash, publicKeys } = this.#access;
    if (ticket.user !== user || this.#hasEnded()) return false;
    return 'publicKey' in ticket
      ? publicKeys.includes(ticket.publicKey)
      : ticket.passwordHash === passwordHash;
  }

  async byPassword(user: string, password: string): Promise<Ticket | undefined> {
    this.look();
    const { passwordHash } = this.#access;
    const isRight = await fits(password, passwordHash ?? NO_HASH);
    const ticket = { user, passwordHash: passwordHash ?? '' };
    return isRight && passwordHash !== null && this.holds(ticket) ? ticket : undefined;
  }

  /** A client first asks whether a key is welcome, without a signature. */
  byKey({ username, key, signature, blob, hashAlgo }: PublicKeyAuthContext): Ticket | undefined {
    this.look();
    const publicKey = this.#access.publicKeys.find((line) => {
      const [, data = ''] = line.split(/\s+/);
      return Buffer.from(data, 'base64').equals(key.data);
    });
    if (publicKey === undefined) return undefined;
    const ticket = { user: username, publicKey };
    if (!this.holds(ticket)) return undefined;
    if (!signature || !blob) return ticket;
    const parsed = ssh2.utils.parseKey(publicKey) as ParsedKey | Error;
    if (parsed instanceof Error) return undefined;
    return parsed.verify(blob, signature, hashAlgo) === true ? ticket : undefined;
  }

  #hasEnded(): boolean {
    const { expiresAt } = this.#access;
    return expiresAt !== null && Date.parse(expiresAt) <= timeNow();
  }
}

/** Its own clock: this program has nothing of the control plane. */
const timeNow = () => performance.timeOrigin + performance.now();

/** Distinguishes one text from another. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Who cannot be read may not come in.
    return '';
  }
}
