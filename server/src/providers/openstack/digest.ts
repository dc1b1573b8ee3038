import { createHash } from 'node:crypto';

/** Stands for a desired state: another one when anything of it is another. */
export const digestOf = (desired: object): string =>
  createHash('sha256').update(JSON.stringify(desired)).digest('base64url').slice(0, 22);
