import type { IncomingMessage } from 'node:http';
import { canonicalIp, type IpRanges } from '../../kernel/ip.ts';
import type { TraceHeaders } from '../tracing/tracing.ts';

/** What is believed of a request that comes through a proxy. */

const REQUEST_ID = /^[\w.:=+/@-]{1,128}$/;
/** https://www.w3.org/TR/trace-context/: version, trace id, parent id, flags. */
const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;

/** Whether an address is that of a trusted proxy. */
export function isTrusted(proxies: IpRanges | undefined, address: string | undefined): boolean {
  if (proxies === undefined) return false;
  const ip = canonicalIp(address ?? '');
  return ip !== undefined && proxies.contains(ip);
}

/** The id that a trusted proxy has given a request: `X-Request-ID`, or else the trace id of `traceparent`. */
export function givenRequestId(proxies: IpRanges | undefined, request: IncomingMessage): string | undefined {
  if (!isTrusted(proxies, request.socket?.remoteAddress)) return undefined;
  const id = request.headers['x-request-id'];
  if (typeof id === 'string' && REQUEST_ID.test(id)) return id;
  return traceIdOf(request);
}

function traceIdOf({ headers }: IncomingMessage): string | undefined {
  const trace = headers.traceparent;
  const id = typeof trace === 'string' ? TRACE_PARENT.exec(trace)?.[1] : undefined;
  return id === '0'.repeat(32) ? undefined : id;
}

/** The trace that a trusted proxy says a request is part of. */
export function givenTrace(
  proxies: IpRanges | undefined,
  request: IncomingMessage,
): TraceHeaders | undefined {
  const { traceparent, tracestate } = request.headers;
  if (!isTrusted(proxies, request.socket?.remoteAddress) || traceIdOf(request) === undefined)
    return undefined;
  return {
    traceparent: String(traceparent),
    tracestate: tracestate === undefined ? undefined : String(tracestate),
  };
}

/** The client's address: what the framework has found, unless a proxy has written nonsense there. */
export function clientAddress(found: string, peer: string | undefined): string {
  return canonicalIp(found) ?? canonicalIp(peer ?? '') ?? peer ?? found;
}
