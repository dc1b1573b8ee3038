import { BlockList, isIP, SocketAddress } from 'node:net';

/** One spelling for each address, as sockets report it: `2001:DB8:0::1` is `2001:db8::1`, and an IPv4 address
 *  mapped into IPv6 is the IPv4 address. Undefined for anything that is not an address. */
export function canonicalIp(text: string): string | undefined {
  const kind = isIP(text);
  if (kind === 4) return text;
  if (kind !== 6 || text.includes('%')) return undefined;
  const { address } = new SocketAddress({ address: text, family: 'ipv6' });
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  return mapped?.[1] ?? address;
}

/** Addresses and networks (`10.0.0.0/8`, `::1`), asked whether an address is among them. */
export class IpRanges {
  readonly texts: readonly string[];
  readonly #list = new BlockList();

  /** @throws RangeError naming the text that is neither an address nor a network */
  constructor(texts: readonly string[]) {
    this.texts = texts;
    for (const text of texts) this.#add(text);
  }

  contains(ip: string): boolean {
    const kind = isIP(ip);
    return kind !== 0 && this.#list.check(ip, kind === 6 ? 'ipv6' : 'ipv4');
  }

  #add(text: string): void {
    const [address = '', bits, more] = text.split('/');
    const kind = isIP(address);
    const size = kind === 6 ? 128 : 32;
    const prefix = bits === undefined ? size : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
    if (kind === 0 || more !== undefined || prefix < 0 || prefix > size) {
      throw new RangeError(`"${text}" is neither an IP address nor a network such as 10.0.0.0/8`);
    }
    this.#list.addSubnet(address, prefix, kind === 6 ? 'ipv6' : 'ipv4');
  }
}
