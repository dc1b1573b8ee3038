import { isIP } from 'node:net';
import { TaskFailed } from '../../../../kernel/errors.ts';

/** `10.0.0.1`, 80 → `ipv4@10.0.0.1:80`. The prefix keeps HAProxy from reading anything else into it.
 *  @throws TaskFailed when it is no IP address */
export function endpoint(address: string, port: number): string {
  return `${family(address)}@${address}:${checkedPort(port)}`;
}

function family(address: string): 'ipv4' | 'ipv6' {
  const version = address.includes('%') ? 0 : isIP(address);
  if (version === 0) throw new TaskFailed(`${JSON.stringify(address)} is not an IP address.`);
  return version === 4 ? 'ipv4' : 'ipv6';
}

export function checkedPort(port: number): number {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new TaskFailed(`${port} is not a port.`);
  return port;
}

/** A network in CIDR notation, or one address, as HAProxy and nginx both read it.
 *  @throws TaskFailed when it is neither */
export function network(cidr: string): string {
  const [address = '', prefix, ...rest] = cidr.split('/');
  const bits = address.includes('%') ? 0 : { 4: 32, 6: 128 }[isIP(address)];
  const valid = bits && rest.length === 0 && (prefix === undefined || isPrefix(prefix, bits));
  if (!valid) throw new TaskFailed(`${JSON.stringify(cidr)} is not a network in CIDR notation.`);
  return cidr;
}

function isPrefix(text: string, bits: number): boolean {
  return /^\d{1,3}$/.test(text) && Number(text) <= bits;
}

/** A netmask (`255.255.255.0`) or a prefix length (`24`, `/24`) as a prefix length.
 *  @throws TaskFailed when it is neither, or a netmask with a hole */
export function prefixLength(netmask: string): number {
  const short = /^\/?(\d{1,3})$/.exec(netmask)?.[1];
  if (short !== undefined && Number(short) <= 128) return Number(short);
  if (isIP(netmask) === 4) {
    const bits = netmask
      .split('.')
      .map((octet) => Number(octet).toString(2).padStart(8, '0'))
      .join('');
    if (/^1*0*$/.test(bits)) return bits.lastIndexOf('1') + 1;
  }
  throw new TaskFailed(`${JSON.stringify(netmask)} is not a netmask such as 255.255.255.0.`);
}
