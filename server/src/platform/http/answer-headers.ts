import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HttpError } from './errors.ts';

/** A year, in seconds. */
const HSTS = 'max-age=31536000';

/** Adds what every answer says to browsers and caches. What says nothing of how long it may be kept is private: it is
 *  kept nowhere. What everybody may keep names no request, since others will see it. Whoever has reached this host over
 *  TLS is to come back over TLS alone. */
export function addHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-content-type-options', 'nosniff');
  const caching = reply.getHeader('cache-control');
  if (caching === undefined) reply.header('cache-control', 'no-store');
  if (!String(caching).startsWith('public')) reply.header('x-request-id', request.id);
  if (request.protocol === 'https') reply.header('strict-transport-security', HSTS);
}

/** Refuses requests with several Host headers (RFC 9112, 3.2): a proxy may have let one pass for the sake of another.
 *  Node refuses those of HTTP/1.1 without any; in HTTP/2 the authority says the same. HTTP/1.0 needs none: so HAProxy
 *  checks nodes. */
export function refuseManyHosts(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw: { rawHeaders, headers, httpVersion } }) => {
    let hosts = 0;
    for (let i = 0; i < rawHeaders.length; i += 2) if (isHost(rawHeaders[i] ?? '')) hosts++;
    const authority = headers[':authority'];
    const isMissing = headers.host === undefined && httpVersion !== '1.0';
    const differs = authority !== undefined && headers.host !== authority;
    if (hosts > 1 || differs || isMissing) throw new HttpError(400, 'A request must have one Host header');
  });
}

const isHost = (name: string) => name.length === 4 && name.toLowerCase() === 'host';
