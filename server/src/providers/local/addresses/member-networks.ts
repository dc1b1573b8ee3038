import { networkInterfaces } from 'node:os';
import { OWN_PREFIX } from '../../../features/networking/addresses/port.ts';
import { canonicalIp, IpRanges } from '../../../kernel/ip.ts';
import { OWN_NETWORK } from './space.ts';

/** A port of this control plane: its API, its edge, its database. */
export interface OwnPort {
  /** An address, or a name for the loopback network; `0.0.0.0` and `::` are all addresses of this machine. */
  readonly host: string;
  readonly port: number;
}

/** Where engines of this machine may connect to, for whoever names the target. */
export interface MemberNetworks {
  /** Why nothing may connect there for a user, for the user to read, or null: it may. */
  faultOf(address: string, port: number): string | null;
}

const SETTING = 'VIRGA_MEMBER_NETWORKS';
const UNSPECIFIED = new IpRanges(['0.0.0.0/8', '::']);
const MULTICAST = new IpRanges(['224.0.0.0/4', 'ff00::/8']);
const RESERVED = new IpRanges(['240.0.0.0/4']);
const LINK_LOCAL = new IpRanges(['169.254.0.0/16', 'fe80::/10']);
const LOOPBACK = new IpRanges(['127.0.0.0/8', '::1']);
/** The networks that the load balancers of local regions get their addresses from. */
const LOAD_BALANCERS = new IpRanges([OWN_NETWORK, OWN_PREFIX]);
/** IPv6 addresses that stand for the IPv4 address in their last 32 bits. */
const TRANSLATED = new IpRanges(['64:ff9b::/96', '::/96']);

/** Reads the setting: networks and addresses that members may have, with commas between them, and behind `!` those
 *  that they may not have even so. Without any of the first kind they may have all others.
 *  @param ownPorts asked anew each time, since a port may be known later than this
 *  @throws RangeError naming what is neither an address nor a network */
export function memberNetworks(text: string, ownPorts: () => readonly OwnPort[] = () => []): MemberNetworks {
  const items = text.split(/[\s,]+/).filter(Boolean);
  const allowed = new IpRanges(items.filter((item) => !item.startsWith('!')));
  const refused = new IpRanges(items.filter((item) => item.startsWith('!')).map((item) => item.slice(1)));
  return {
    faultOf: (address, port) => {
      const ip = canonicalIp(address);
      if (ip === undefined) return `${address} is not an IP address`;
      const fault = networkFault(ip, allowed, refused) ?? ownFault(ip, port, ownPorts());
      return fault && `${address} port ${port} cannot be used: ${fault}`;
    },
  };
}

function networkFault(ip: string, allowed: IpRanges, refused: IpRanges): string | null {
  if (UNSPECIFIED.contains(ip)) return 'it is an unspecified address';
  if (MULTICAST.contains(ip)) return 'it is a multicast address';
  if (RESERVED.contains(ip)) return 'it is a reserved address';
  if (TRANSLATED.contains(ip) && ip !== '::1') return 'it is a translated IPv4 address; name that one';
  if (LOAD_BALANCERS.contains(ip)) return 'it is in a network of load balancers';
  if (refused.contains(ip)) return `the setting ${SETTING} of this cloud refuses its network`;
  if (allowed.contains(ip)) return null;
  if (LINK_LOCAL.contains(ip)) return 'it is a link-local address';
  return allowed.texts.length > 0 ? `the setting ${SETTING} of this cloud does not allow its network` : null;
}

function ownFault(ip: string, port: number, ownPorts: readonly OwnPort[]): string | null {
  const isOwn = ownPorts.some((own) => own.port === port && isAt(ip, own.host));
  return isOwn ? "it is a port of this cloud's own programs" : null;
}

function isAt(ip: string, host: string): boolean {
  if (host === 'localhost') return LOOPBACK.contains(ip);
  const own = canonicalIp(host.replace(/^\[(.*)\]$/, '$1'));
  if (own === '0.0.0.0' || own === '::') return LOOPBACK.contains(ip) || isOfThisHost(ip);
  return own === ip;
}

function isOfThisHost(ip: string): boolean {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return addresses.some(({ address }) => canonicalIp(address.replace(/%.*$/, '')) === ip);
}
