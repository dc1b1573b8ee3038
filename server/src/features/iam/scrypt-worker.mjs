// @ts-check
// Derives keys from passwords, in a thread of its own: `scryptSync` keeps that thread busy and no other.
import { scryptSync } from 'node:crypto';

/**
 * @param {{ password: string, salt: Uint8Array, cost: number }} task
 * @returns {Uint8Array}
 */
export default function derive({ password, salt, cost }) {
  const key = scryptSync(password, salt, 32, { N: cost, r: 8, p: 1, maxmem: 128 * cost * 8 * 2 });
  return new Uint8Array(key);
}
