import {
  constants,
  type Http2SecureServer,
  type Http2ServerRequest,
  type SecureServerOptions,
  type ServerHttp2Session,
} from 'node:http2';
import type { FastifyInstance } from 'fastify';
import { HEADER_LIMIT } from './bounds.ts';
import type { Patience } from './slow-clients.ts';
import { type KeyPair, readKeyPair, type TlsFiles } from './tls.ts';

/** HTTP/2 where TLS is on, beside HTTP/1.1 for whoever does not ask for it. One connection of a browser then carries all
 *  its tabs and streams. */

/** Requests that one connection may have open at the same time. */
const MOST_STREAMS = 100;
/** As long as Node keeps a connection of HTTP/1.1 open for the next request. */
const KEEP_ALIVE_MS = 72_000;

/** What Fastify needs to know for a server that speaks both; nothing without TLS.
 *  @throws Error when the files of the certificate cannot be read */
export function http2Options(tls: TlsFiles | undefined, { silenceMs }: Patience) {
  if (!tls) return {};
  const pair: KeyPair = readKeyPair(tls);
  const https: SecureServerOptions = {
    cert: pair.cert,
    key: pair.key,
    allowHTTP1: true,
    maxSessionMemory: 16,
    settings: { maxConcurrentStreams: MOST_STREAMS, maxHeaderListSize: HEADER_LIMIT },
  };
  return { http2: true as const, http2SessionTimeout: silenceMs, https };
}

/** Limits of HTTP/1.1 that Node's server of both does not take as options. */
interface Http1Limits {
  headersTimeout: number;
  requestTimeout: number;
  keepAliveTimeout: number;
  connectionsCheckingInterval: number;
  maxHeaderSize: number;
}

/** Holds a server of both to the limits of one that speaks HTTP/1.1 alone, and ends its connections when it stops. */
export function limitHttp2(app: FastifyInstance, patience: Patience): void {
  const server = app.server as unknown as Http2SecureServer & Http1Limits;
  server.headersTimeout = patience.headersMs;
  server.requestTimeout = patience.requestMs;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.connectionsCheckingInterval = Math.ceil(patience.headersMs / 5);
  server.maxHeaderSize = HEADER_LIMIT;
  const sessions = new Set<ServerHttp2Session>();
  let stopping = false;
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    if (stopping) session.close();
  });
  // What is under way is answered before they close.
  app.addHook('preClose', async () => {
    stopping = true;
    for (const session of sessions) session.close();
  });
  app.addHook('onRequest', (request, _reply, done) => {
    const raw = request.raw as unknown as Http2ServerRequest;
    if (raw.httpVersionMajor === 2) {
      // All that asks for the host finds it where HTTP/1.1 has it.
      raw.headers.host ??= raw.headers[':authority'];
      giveUpSlow(raw, patience.requestMs);
    }
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    // HTTP/2 knows no headers about the connection.
    if (request.raw.httpVersionMajor === 2) reply.removeHeader('connection');
    done(null, payload);
  });
}

/** Ends a request whose body does not arrive in time, and no other of its connection. */
function giveUpSlow({ stream }: Http2ServerRequest, requestMs: number): void {
  if (stream.endAfterHeaders) return;
  const late = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), requestMs);
  const end = () => clearTimeout(late);
  stream.once('end', end);
  stream.once('close', end);
}
