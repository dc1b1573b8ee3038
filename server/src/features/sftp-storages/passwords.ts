import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';

/** Passwords of SFTP storages. Only hashes are kept: `scrypt:COST:SALT:HASH`, the last two in base64url. */

const COST = 16_384;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const PASSWORD_BYTES = 18;

/** One that nobody guesses. */
export const newPassword = (): string => randomBytes(PASSWORD_BYTES).toString('base64url');

const derive = promisify<string, Buffer, number, { N: number }, Buffer>(scrypt);

export async function hashOf(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, HASH_BYTES, { N: COST });
  return ['scrypt', COST, salt.toString('base64url'), hash.toString('base64url')].join(':');
}
