/** `@peculiar/x509` finds its algorithms through decorated classes, for which `Reflect` must be able to keep
 *  metadata. These are the four calls that it makes; where `Reflect` has them already they stay.
 *  Import this before it. */

type Entries = Map<unknown, unknown>;
const kept = new WeakMap<object, Entries>();

function defineMetadata(key: unknown, value: unknown, target: object): void {
  const entries = kept.get(target) ?? new Map();
  entries.set(key, value);
  kept.set(target, entries);
}

const getOwnMetadata = (key: unknown, target: object): unknown => kept.get(target)?.get(key);

/** The class's own, or else what it inherits. */
function getMetadata(key: unknown, target: object): unknown {
  for (let at: object | null = target; at !== null; at = Object.getPrototypeOf(at)) {
    if (kept.get(at)?.has(key)) return getOwnMetadata(key, at);
  }
  return undefined;
}

const hasOwnMetadata = (key: unknown, target: object): boolean => kept.get(target)?.has(key) ?? false;

if (!('getMetadata' in Reflect)) {
  Object.assign(Reflect, { defineMetadata, getMetadata, getOwnMetadata, hasOwnMetadata });
}
