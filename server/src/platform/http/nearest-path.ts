import { distance } from 'fastest-levenshtein';
import type { Route } from './route.ts';

/** More characters of difference than this, and something else was meant. */
const MAX_TYPOS = 3;
const LONGEST_SEGMENT = 64;

/** The path that was meant by one where nothing is: with a typing error or another version, a part left out at the
 *  beginning, or ids left out at the end (which are then named in braces); else one that ends with the same word. */
export function nearestPath(routes: readonly Route[], path: string): string | undefined {
  const requested = segmentsOf(path);
  let best: { cost: number; path: string } | undefined;
  for (const { spec } of routes) {
    const pattern = segmentsOf(spec.path);
    const cost = costOf(pattern, requested);
    if (cost === undefined || cost >= (best?.cost ?? Number.POSITIVE_INFINITY)) continue;
    best = { cost, path: filled(pattern, requested) };
  }
  return best?.path ?? namesake(routes, path);
}

/** The shortest path that ends with the same word, wherever it is. */
function namesake(routes: readonly Route[], path: string): string | undefined {
  const word = segmentsOf(path).findLast((segment) => /^[a-z]/.test(segment) && !VERSION.test(segment));
  const paths = routes.map(({ spec }) => spec.path);
  const same = paths.filter((each) => segmentsOf(each).findLast((part) => !isParameter(part)) === word);
  return same.toSorted((a, b) => segmentsOf(a).length - segmentsOf(b).length)[0];
}

/** A path that differs in its version alone, and has the method. */
export function otherVersion(routes: readonly Route[], method: string, path: string): string | undefined {
  const requested = segmentsOf(path);
  const same = routes.find(({ spec }) => {
    const pattern = segmentsOf(spec.path);
    return (
      spec.method === method &&
      pattern.length === requested.length &&
      pattern.every((part, i) => {
        const given = requested[i] ?? '';
        return isParameter(part) || part === given || (VERSION.test(part) && VERSION.test(given));
      })
    );
  });
  return same && filled(segmentsOf(same.spec.path), requested);
}

const VERSION = /^v\d+$/;
const segmentsOf = (path: string) => path.replace(/^\/|\/$/g, '').split('/');
const isParameter = (segment: string | undefined) => segment?.startsWith('{') === true;

/** How far a path is from a pattern; undefined: too far. */
function costOf(pattern: readonly string[], requested: readonly string[]): number | undefined {
  const more = pattern.length - requested.length;
  if (more === 0) return typos(pattern, requested);
  // What is missing must all be ids at the end, or the one name of the area at the beginning.
  if (more > 0 && pattern.slice(requested.length).every(isParameter)) {
    const cost = typos(pattern.slice(0, requested.length), requested);
    return cost === undefined ? undefined : cost + more / 10;
  }
  if (more !== 1 || isParameter(pattern[0])) return undefined;
  return typos(pattern.slice(1), requested) === 0 ? 1 : undefined;
}

function typos(pattern: readonly string[], requested: readonly string[]): number | undefined {
  let cost = 0;
  for (const [index, segment] of pattern.entries()) {
    const given = requested[index] ?? '';
    if (isParameter(segment) ? given !== '' : segment === given) continue;
    if (isParameter(segment) || given.length > LONGEST_SEGMENT) return undefined;
    const letters = distance(segment, given);
    // A short word has little to be wrong in before it is another one.
    if (letters > Math.max(1, Math.min(MAX_TYPOS, segment.length / 3))) return undefined;
    cost += letters;
    if (cost > MAX_TYPOS) return undefined;
  }
  return cost;
}

/** The pattern with what was given for its parameters. */
function filled(pattern: readonly string[], requested: readonly string[]): string {
  const shift =
    pattern.length - requested.length === 1 && pattern[0] !== requested[0] && !isParameter(pattern.at(-1))
      ? 1
      : 0;
  const parts = pattern.map((segment, index) =>
    isParameter(segment) ? (requested[index - shift] ?? segment) : segment,
  );
  return `/${parts.join('/')}`;
}
