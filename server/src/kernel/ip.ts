import ipaddr from 'ipaddr.js';

export { canonicalIp, IpRanges } from '../../../signing/src/addresses.ts';

/** A range of addresses in CIDR notation, as numbers. */
export interface AddressRange {
  readonly version: 4 | 6;
  readonly first: bigint;
  readonly last: bigint;
  /** Leading bits that all its addresses share. */
  readonly bits: number;
  /** In its one spelling: `10.0.0.0/24`, `2001:db8::/64`. */
  readonly text: string;
}

export const isIpAddress = (text: string): boolean => addressNumber(text) !== undefined;

/** Whether it is an address, or a network in CIDR notation that begins where it says: `10.0.0.0/24`, not `10.0.0.7/24`
 *  or `10.0.0.0/024`. */
export function isIpNetwork(text: string): boolean {
  const range = parseRange(text);
  return (
    range?.first === addressNumber(text.split('/', 1)[0] ?? '')?.value &&
    range !== undefined &&
    !/\/0\d/.test(text)
  );
}

export const isIpv4Address = (text: string): boolean => ipaddr.IPv4.isValidFourPartDecimal(text);

/** What is given out of IPv6 for the internet: RFC 4291, section 2.4, and IANA's registry of address space. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether an address is of the internet: of no private, local or reserved network.
 *  @throws Error for what is no address */
export function isPublicAddress(text: string): boolean {
  const address = ipaddr.process(asWritten(text));
  return address.range() === 'unicast' && (address instanceof ipaddr.IPv4 || address.match(GLOBAL_IPV6));
}

/** The library takes `::1.2.3.4` for `::ffff:1.2.3.4`; PostgreSQL and sockets take it as it stands. */
const asWritten = (text: string) => text.replace(/^::(?=\d+\.)/, '0::');

/** An address as a number, with its version; undefined when it is none. */
export function addressNumber(text: string): { version: 4 | 6; value: bigint } | undefined {
  const v4 = ipaddr.IPv4.isValidFourPartDecimal(text);
  if (!v4 && (!ipaddr.IPv6.isValid(text) || text.includes('%'))) return undefined;
  const bytes = ipaddr.parse(asWritten(text)).toByteArray();
  return { version: v4 ? 4 : 6, value: bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n) };
}

export function addressText(version: 4 | 6, value: bigint): string {
  const length = version === 4 ? 4 : 16;
  const bytes = Array.from({ length }, (_, at) => Number((value >> BigInt(8 * (length - 1 - at))) & 255n));
  const address = ipaddr.fromByteArray(bytes);
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString();
}

/** `10.0.0.7/24` is the range 10.0.0.0/24, a single address a range of one; undefined for anything else. */
export function parseRange(text: string): AddressRange | undefined {
  const [head = '', prefix, more] = text.split('/');
  const address = addressNumber(head);
  if (!address || more !== undefined) return undefined;
  const width = address.version === 4 ? 32 : 128;
  const bits = prefix === undefined ? width : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1;
  if (bits < 0 || bits > width) return undefined;
  const size = 1n << BigInt(width - bits);
  const first = (address.value / size) * size;
  const { version } = address;
  return { version, first, last: first + size - 1n, bits, text: `${addressText(version, first)}/${bits}` };
}

/** `10.0.0.7/24` is the range 10.0.0.0/24; undefined for anything else, a single address too. */
export function parseNetwork(text: string): AddressRange | undefined {
  return text.includes('/') ? parseRange(text) : undefined;
}

export function rangeContains(range: AddressRange, text: string): boolean {
  const address = addressNumber(text);
  return address?.version === range.version && address.value >= range.first && address.value <= range.last;
}

export function rangesOverlap(a: AddressRange, b: AddressRange): boolean {
  return a.version === b.version && a.first <= b.last && b.first <= a.last;
}

/** First and last address that something can have: in IPv4 all but the first and the last of the range, in IPv6
 *  all but the first. Undefined when there is none. */
export function usableAddresses({ version, first, last }: AddressRange): [bigint, bigint] | undefined {
  const to = version === 4 ? last - 1n : last;
  return first + 1n <= to ? [first + 1n, to] : undefined;
}

/** Addresses that something can have, in order. */
export function* hostsOf(range: AddressRange): Generator<string> {
  const usable = usableAddresses(range);
  if (!usable) return;
  for (let value = usable[0]; value <= usable[1]; value++) yield addressText(range.version, value);
}

/** Whether something in the range can have this address. */
export function isHostOf(range: AddressRange, text: string): boolean {
  const address = addressNumber(text);
  const usable = usableAddresses(range);
  if (!usable || address?.version !== range.version) return false;
  return address.value >= usable[0] && address.value <= usable[1];
}

/** The leading bits that a netmask (`255.255.255.0`, `ffff:ffff::`) keeps; undefined for one with a hole, and for
 *  what is no address. */
export function netmaskBits(text: string): { version: 4 | 6; bits: number } | undefined {
  const mask = addressNumber(text);
  if (!mask) return undefined;
  const digits = mask.value.toString(2).padStart(mask.version === 4 ? 32 : 128, '0');
  return /^1*0*$/.test(digits) ? { version: mask.version, bits: digits.lastIndexOf('1') + 1 } : undefined;
}

/** The one spelling of an address; what is none stays as it is. */
export function canonicalAddress(text: string): string {
  const address = addressNumber(text);
  return address ? addressText(address.version, address.value) : text;
}
