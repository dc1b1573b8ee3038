/** So many members of a pool, and policies of a listener, are drawn. */
export const DRAWN = 12;

/** Of more, those that are not as they should be come first.
 *  @returns which are drawn, in their order, and which are the rest */
export function drawn<T extends { readonly operating_status: string }>(
  all: readonly T[],
): { readonly shown: readonly T[]; readonly rest: readonly T[] } {
  if (all.length <= DRAWN) return { shown: all, rest: [] };
  const isWell = (one: T) => Number(['ONLINE', 'NO_MONITOR'].includes(one.operating_status));
  const picked = new Set(all.toSorted((a, b) => isWell(a) - isWell(b)).slice(0, DRAWN - 1));
  return { shown: all.filter((one) => picked.has(one)), rest: all.filter((one) => !picked.has(one)) };
}
