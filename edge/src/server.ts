import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { canonicalIp, type IpRanges } from '../../signing/src/addresses.ts';
import { parseDeliveryUrl } from './delivery-url.ts';
import type { Origin } from './origin.ts';
import { refuse } from './origin.ts';
import type { UsageCounter } from './usage.ts';
import { judge, type Rules } from './verdict.ts';

export interface EdgeOptions extends Rules {
  /** Requests to this host name need tokens that are bound to the viewer's address. */
  readonly ipBoundHost: string;
  /** Whose `x-forwarded-for` is believed. */
  readonly trustedProxies: IpRanges;
  readonly origin: Origin;
  readonly usage: UsageCounter;
  /** Unix time in seconds. */
  readonly now: () => number;
  readonly log: (message: string, error: unknown) => void;
}

/** Players run on pages of other origins, and read these headers. */
export const CORS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Content-Length, Content-Range, Date, ETag',
} as const;
export const METHODS = 'GET, HEAD, OPTIONS';
/** What players send beside: parts of files, and what they measure (CTA-5004). */
export const REQUEST_HEADERS =
  'Range, If-Range, If-None-Match, If-Modified-Since, CMCD-Object, CMCD-Request, CMCD-Session, CMCD-Status';

/** The delivery edge; it does not listen yet. */
export function createEdge(options: EdgeOptions): Server {
  return http.createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
    response.setHeader('access-control-allow-origin', CORS['access-control-allow-origin']);
    response.setHeader('access-control-expose-headers', CORS['access-control-expose-headers']);
    response.setHeader('x-content-type-options', 'nosniff');
    handle(request, response, options).catch((error: unknown) => {
      options.log('a request failed', error);
      refuse(response, 502);
    });
  });
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  options: EdgeOptions,
): Promise<void> {
  const { method } = request;
  if (method === 'OPTIONS') {
    const headers = {
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': REQUEST_HEADERS,
    };
    response.writeHead(204, { ...headers, 'access-control-max-age': '86400' }).end();
    return;
  }
  if (method !== 'GET' && method !== 'HEAD') return void refuse(response, 405, { allow: METHODS });
  const url = parseDeliveryUrl(request.url ?? '/');
  if (!url) return void refuse(response, 404);
  if (url === 'malformed') return void refuse(response, 403);
  const bound = hostName(request.headers.host) === options.ipBoundHost;
  const ip = bound ? viewerIp(request, options.trustedProxies) : '';
  const verdict = judge(url, options, ip, Math.floor(options.now()));
  if (verdict !== 'valid') return void refuse(response, verdict === 'expired' ? 410 : 403);
  if (url.signedInQuery) request.url = request.url?.replace(/\?.*/s, '');
  const folder = `${url.accountId}_${url.video}`;
  const bytes = await options.origin.serve(`${url.kind}/${folder}/${url.file}`, request, response);
  if (response.statusCode < 400) options.usage.add(folder, bytes);
}

/** Without the port, in lowercase letters. */
const hostName = (host = '') => host.replace(/:\d+$/, '').toLowerCase();

/** The peer, or, behind trusted proxies, the nearest address in `x-forwarded-for` that is none of them. */
function viewerIp(request: IncomingMessage, trusted: IpRanges): string {
  let ip = canonicalIp(request.socket.remoteAddress ?? '') ?? '';
  const named = [request.headers['x-forwarded-for'] ?? ''].flat().join(',').split(',');
  while (trusted.contains(ip)) {
    const next = canonicalIp(named.pop()?.trim() ?? '');
    if (next === undefined) break;
    ip = next;
  }
  return ip;
}
