import { addressNumber, canonicalAddress, parseRange } from './ip.ts';

/** Which addresses a range of a region can give, and how many of them are in use. */

/** A range, and what of it is somebody else's. */
export interface AddressPoolRange {
  /** `203.0.113.16/28`, `2001:db8::/112`. */
  readonly range: string;
  /** Addresses and ranges that are others'. */
  readonly exclude?: readonly string[];
}

/** Numbers of addresses, from the first to the last. */
export interface Span {
  readonly first: bigint;
  readonly last: bigint;
}

/** How many there are. */
export interface AddressRoom {
  readonly used: number;
  readonly total: number;
}

/** What may be given of a range, in order: of a network of IPv4 neither the first nor the last one, which hosts ignore, and
 *  nothing that is excluded. */
export function spansOf({ range: text, exclude = [] }: AddressPoolRange, version: 4 | 6): readonly Span[] {
  const range = parseRange(text);
  if (range?.version !== version) return [];
  const isNetwork = range.last - range.first > 1n;
  const excluded = exclude
    .flatMap((each) => parseRange(each) ?? [])
    .filter((each) => each.version === version);
  return excluded.reduce<readonly Span[]>(
    (spans, other) =>
      spans
        .flatMap(({ first, last }) => [
          { first, last: other.first - 1n < last ? other.first - 1n : last },
          { first: other.last + 1n > first ? other.last + 1n : first, last },
        ])
        .filter(({ first, last }) => first <= last),
    [isNetwork ? { first: range.first + 1n, last: range.last - 1n } : range],
  );
}

/** How many addresses of this version the ranges can give, and how many of those in use are of them. */
export function roomOf(
  pools: readonly AddressPoolRange[],
  version: 4 | 6,
  inUse: Iterable<string>,
): AddressRoom {
  const spans = pools.flatMap((pool) => spansOf(pool, version));
  const isOwn = (address: string) => {
    const number = addressNumber(address);
    return (
      number?.version === version &&
      spans.some(({ first, last }) => number.value >= first && number.value <= last)
    );
  };
  const used = new Set([...inUse].map(canonicalAddress).filter(isOwn));
  return {
    used: used.size,
    total: Number(spans.reduce((sum, { first, last }) => sum + last - first + 1n, 0n)),
  };
}
