import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IpRanges } from '../../kernel/ip.ts';
import type { Span, Tracing } from '../tracing/tracing.ts';
import { PROBES } from './access-log.ts';
import { clientAddress, givenTrace } from './proxies.ts';

const spans = new WeakMap<FastifyRequest, Span>();

/** Makes a span of each request, part of the trace that a trusted proxy names. Paths, queries and bodies are left out:
 *  they may hold what is secret. */
export function traceRequests(app: FastifyInstance, tracing: Tracing, proxies: IpRanges | undefined): void {
  app.addHook('onRequest', async (request) => {
    const { method, routeOptions } = request;
    const route = routeOptions.url;
    if (PROBES.has(route ?? '')) return;
    const span = tracing.begin(
      route ? `${method} ${route}` : method,
      'server',
      givenTrace(proxies, request.raw),
      {
        'http.request.method': method,
        'http.route': route,
        'url.scheme': request.protocol,
        'client.address': clientAddress(request.ip, request.socket.remoteAddress),
        'virga.request_id': request.id,
      },
    );
    spans.set(request, span);
  });
  app.addHook('onResponse', async (request, reply) => {
    const span = spans.get(request);
    if (!span) return;
    const { clientId, userId } = request.caller ?? {};
    span.set({
      'http.response.status_code': reply.statusCode,
      ...(userId ? { 'virga.client_id': clientId, 'virga.user_id': userId } : {}),
    });
    if (reply.statusCode >= 500) span.fail(`answered ${reply.statusCode}`);
    span.end();
  });
}

/** What names the request's span to others; undefined: it has none. */
export const traceOf = (request: FastifyRequest): string | undefined => spans.get(request)?.traceparent;
