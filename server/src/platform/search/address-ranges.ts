/** Addresses that begin with a text, as ranges that an index of addresses has. */

/** Both ends are included. */
export interface AddressRange {
  readonly from: string;
  readonly to: string;
}

/** Ranges with every address that begins with a text, as addresses are written; some others may be in them. None: no
 *  address does. */
export const rangesOfBeginning = (begin: string): readonly AddressRange[] => [
  ...rangesOf(begin, IPV4),
  ...rangesOfIpv6(begin),
];

interface Notation {
  readonly sign: string;
  readonly base: 10 | 16;
  readonly groups: number;
  readonly most: number;
}
const IPV4: Notation = { sign: '.', base: 10, groups: 4, most: 255 };
const IPV6: Notation = { sign: ':', base: 16, groups: 8, most: 0xffff };

/** Zeros that are left out can be anywhere from the two colons on. */
function rangesOfIpv6(begin: string): AddressRange[] {
  const colons = begin === ':' ? 0 : begin.indexOf('::');
  if (colons === -1) return rangesOf(begin, IPV6);
  if (!/^[0-9a-f:.]*$/.test(begin)) return [];
  const before = begin.slice(0, colons);
  return rangesOf(before === '' ? '' : `${before}:`, IPV6);
}

function rangesOf(begin: string, notation: Notation): AddressRange[] {
  const { sign, base, groups, most } = notation;
  const texts = begin.split(sign);
  const whole = texts.slice(0, -1).map((text) => numberOf(text, notation));
  const last = texts.at(-1) ?? '';
  if (texts.length > groups || whole.includes(undefined)) return [];
  const rest = groups - texts.length;
  const address = (value: number, fill: number) =>
    [...whole, value, ...Array.from({ length: rest }, () => fill)]
      .map((group) => (group ?? 0).toString(base))
      .join(sign);
  return valuesFrom(last, notation).map(([from, to]) => ({ from: address(from, 0), to: address(to, most) }));
}

/** Numbers that begin with these digits: itself, and those with one more digit, two more and so on. */
function valuesFrom(digits: string, notation: Notation): [number, number][] {
  if (digits === '') return [[0, notation.most]];
  const value = numberOf(digits, notation);
  if (value === undefined) return [];
  const ranges: [number, number][] = [[value, value]];
  for (let power = notation.base; value > 0 && value * power <= notation.most; power *= notation.base)
    ranges.push([value * power, Math.min(notation.most, (value + 1) * power - 1)]);
  return ranges;
}

/** A group as it is written: without zeros before it. */
function numberOf(text: string, { base, most }: Notation): number | undefined {
  const value = Number.parseInt(text, base);
  return value.toString(base) === text && value <= most ? value : undefined;
}
