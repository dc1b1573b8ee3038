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

export interface Posting {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly patienceMs: number;
  /** Absent: anywhere. */
  readonly allowed?: AllowedNetworks | undefined;
}

/** Posts a body. Redirects are not followed, and of the answer only the status is read.
 *  @throws Error that says why the address cannot be reached */
export function post(posting: Posting): Promise<number> {
  const url = new URL(posting.url);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (posting.allowed && isIP(host) && !mayReach(host, posting.allowed)) return Promise.reject(refusal(host));
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
      settle(response.statusCode ?? 0);
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
      if (!first) return done(refusal(name), '', 0);
      return options.all ? done(null, usable) : done(null, first.address, first.family);
    });
  };

const refusal = (host: string) =>
  new Error(`${host} is not on the internet; the operator may allow its network with VIRGA_WEBHOOK_NETWORKS`);
