import { createHash } from 'node:crypto';

/** Stands for a desired state: another one when anything of it is another. In which order fields are named says
 *  nothing: the database names them in its own. */
export const digestOf = (desired: object): string =>
  createHash('sha256').update(JSON.stringify(desired, inOrder)).digest('base64url').slice(0, 22);

function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
