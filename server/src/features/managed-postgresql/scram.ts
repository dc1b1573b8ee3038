import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

/** Passwords of database users. What servers are given is not the password, but what they check it with (RFC 5803),
 *  so that whoever reads their files cannot sign in with it. */

const ITERATIONS = 4096;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** 192 bits: 32 characters that need no quoting in a URL. */
const PASSWORD_BYTES = 24;

export const newPassword = (): string => randomBytes(PASSWORD_BYTES).toString('base64url');

/** The text that `alter role … password` accepts for a password that it does not get. */
export async function verifierOf(password: string, salt = randomBytes(SALT_BYTES)): Promise<string> {
  const salted = await promisify(pbkdf2)(password, salt, ITERATIONS, KEY_BYTES, 'sha256');
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64');
  const server = keyed('Server Key').toString('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${server}`;
}
