import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** Passwords are kept as scrypt (N = 2^15, r = 8, p = 1) with a salt of their own: `scrypt$N$salt$hash`. */
const COST = 2 ** 15;
const derive = (password: string, salt: Buffer, cost: number) =>
  new Promise<Buffer>((resolve, reject) =>
    scrypt(
      password.normalize('NFKC'),
      salt,
      32,
      { N: cost, r: 8, p: 1, maxmem: 128 * cost * 8 * 2 },
      (error, key) => (error ? reject(error) : resolve(key)),
    ),
  );

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, COST);
  return `scrypt$${COST}$${salt.toString('base64')}$${hash.toString('base64')}`;
}

export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [scheme, cost, salt, hash] = stored.split('$');
  if (scheme !== 'scrypt' || !cost || !salt || !hash) return false;
  const expected = Buffer.from(hash, 'base64');
  return timingSafeEqual(expected, await derive(password, Buffer.from(salt, 'base64'), Number(cost)));
}
