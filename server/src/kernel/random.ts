import { createHash } from 'node:crypto';

/** A number in [0, 1) that depends on nothing but its arguments: the same seed and names give the same
 *  number on every machine and in every order of calls. */
export function seededFraction(seed: string, ...names: readonly string[]): number {
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, ...names]))
    .digest();
  return digest.readUInt32BE(0) / 2 ** 32;
}
