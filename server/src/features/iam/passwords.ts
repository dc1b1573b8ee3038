import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { Tinypool } from 'tinypool';
import { TooManyRequests } from '../../kernel/errors.ts';

/** Passwords are kept as scrypt (N = 2^15, r = 8, p = 1) with a salt of their own: `scrypt$N$salt$hash`.
 *
 *  They are hashed in threads of their own, since a hash takes some 60 ms of a core and 32 MiB: the event loop goes
 *  on, and so do the threads of Node that open connections to the database. */

const COST = 2 ** 15;
const BYTES = 32;
const IDLE_MS = 10_000;
/** How many may wait for a thread; about 4 s of one. */
const MAX_WAITING = 64;
/** Of these, for whom the caller cannot vouch; the rest is kept for the others. */
const MAX_STRANGERS = 48;

/** Who waits: somebody of whom something is known already, or anybody. */
export type Standing = 'known' | 'stranger';

interface Task {
  readonly password: string;
  readonly salt: Uint8Array;
  readonly cost: number;
}

let threads: Tinypool | undefined;

/** The threads start with the first password and end when there are none for a while. */
function pool(): Tinypool {
  threads ??= new Tinypool({
    // Found through package.json, so that sources and bundle find the same file.
    filename: createRequire(import.meta.url).resolve('#scrypt-worker'),
    minThreads: 0,
    maxThreads: Math.max(1, Math.min(4, availableParallelism() - 1)),
    maxQueue: MAX_WAITING,
    idleTimeout: IDLE_MS,
  });
  return threads;
}

async function derive(password: string, task: Omit<Task, 'password'>, standing: Standing): Promise<Buffer> {
  const waiting = pool().queueSize;
  if (waiting >= (standing === 'known' ? MAX_WAITING : MAX_STRANGERS)) throw new TooManyRequests(1000);
  const key: Uint8Array = await pool().run({ ...task, password: password.normalize('NFKC') });
  return Buffer.from(key);
}

/** @throws TooManyRequests when too many passwords wait to be hashed */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, { salt, cost: COST }, 'known');
  return stored(salt, hash);
}

const stored = (salt: Buffer, hash: Buffer) =>
  `scrypt$${COST}$${salt.toString('base64')}$${hash.toString('base64')}`;

/** @throws TooManyRequests when too many passwords wait to be hashed */
export async function verifyPassword(
  password: string,
  kept: string,
  standing: Standing = 'known',
): Promise<boolean> {
  const [scheme, cost, salt, hash] = kept.split('$');
  if (scheme !== 'scrypt' || !cost || !salt || !hash) return false;
  const task = { salt: Buffer.from(salt, 'base64'), cost: Number(cost) };
  return timingSafeEqual(Buffer.from(hash, 'base64'), await derive(password, task, standing));
}

/** What no password matches, and takes as long to find out: stands for the password of an unknown user. */
export const NO_PASSWORD = stored(randomBytes(16), randomBytes(BYTES));

export const WRONG_PASSWORD = 'is not the password';
