import { lookup as resolve } from 'node:dns';
import { type ClientRequest, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { type AddressRange, canonicalIp, isPublicAddress, rangeContains } from '../../kernel/ip.ts';

/** Where calls may go that clients ask for: public addresses, and networks that the operator allows. */

export type AllowedNetworks = readonly AddressRange[];

/** Whether an address is of the internet, or of one of these networks. */
export function mayReach(address: string, allowed: AllowedNetworks): boolean {
  if (isPublicAddress(address)) return true;
  const ip = canonicalIp(address) ?? address;
  return allowed.some((network) => rangeContains(network, ip));
}

/** Names that stand for nothing on the internet (RFC 6761, RFC 6762, and what is reserved for private use). */
const PRIVATE_NAMES = /(^|\.)(localhost|local|internal)\.?$/;

/** Why nothing is ever sent to a URL; undefined: what its name leads to is seen when something is sent. Where the
 *  operator allows networks, any name may lead there. */
export function neverReached(url: string, allowed: AllowedNetworks): string | undefined {
  const host = hostOf(url);
  const isReached = isIP(host) ? mayReach(host, allowed) : allowed.length > 0 || !PRIVATE_NAMES.test(host);
  return isReached ? undefined : notOnInternet(host);
}

const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '');

const notOnInternet = (host: string): string =>
  `${host} is not on the internet; the operator may allow its network with VIRGA_WEBHOOK_NETWORKS`;

export interface Posting {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly patienceMs: number;
  /** Absent: anywhere. */
  readonly allowed?: AllowedNetworks | undefined;
}

/** What is read of an answer. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly location: string | undefined;
}

/** Posts a body. Redirects are not followed, and the body of the answer is not read.
 *  @throws Error that says why the address cannot be reached */
export function post(posting: Posting): Promise<Answer> {
  const url = new URL(posting.url);
  const refused = posting.allowed && neverReached(posting.url, posting.allowed);
  if (refused !== undefined) return Promise.reject(new Error(refused));
  return new Promise((settle, reject) => {
    const signal = AbortSignal.timeout(posting.patienceMs);
    const request: ClientRequest = (url.protocol === 'https:' ? overHttps : overHttp)(url, {
      method: 'POST',
      headers: { ...posting.headers, 'content-length': Buffer.byteLength(posting.body) },
      signal,
      agent: false,
      ...(posting.allowed ? { lookup: checkedLookup(posting.allowed) } : {}),
    });
    request.once('error', reject);
    request.once('response', (response) => {
      // What it says is of no use to anybody.
      response.destroy();
      const { 'retry-after': retryAfter, location } = response.headers;
      settle({ status: response.statusCode ?? 0, retryAfter, location });
    });
    request.end(posting.body);
  });
}

/** Finds addresses as usual, and refuses those that may not be reached: also when a name has been changed since it
 *  was given. */
const checkedLookup =
  (allowed: AllowedNetworks): LookupFunction =>
  (name, options, done) => {
    resolve(name, { ...options, all: true }, (error, found) => {
      if (error) return done(error, '', 0);
      const usable = found.filter(({ address }) => mayReach(address, allowed));
      const [first] = usable;
      if (!first) return done(new Error(notOnInternet(name)), '', 0);
      return options.all ? done(null, usable) : done(null, first.address, first.family);
    });
  };
