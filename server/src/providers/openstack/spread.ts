/** Everything is compared as a whole once in this time, spread over it. */
const WHOLE_EVERY_MS = 6 * 3_600_000;

/** Whether the turn of a whole look at something has come; then the next one is six hours later.
 *  @param at when each was looked at last, milliseconds since 1970 */
export function isDue(at: Map<string, number>, id: string, now: number): boolean {
  const last = at.get(id);
  // The first time it is somewhere within the six hours, at a moment of its own.
  if (last === undefined) at.set(id, now - (Number.parseInt(id.slice(0, 6), 16) % WHOLE_EVERY_MS));
  if (last === undefined || now - last <= WHOLE_EVERY_MS) return false;
  at.set(id, now);
  return true;
}
