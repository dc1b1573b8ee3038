import http from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import https from 'node:https';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NOBODY } from '../auth/caller.ts';
import { HttpError } from './errors.ts';

/** Passes requests that carry a signature of S3 on to the server of a storage, so that pages of this origin reach it
 *  without rules of CORS, and also where only this server is reached. The signature says what is allowed. */

/** What S3 reads of a request, and a page of what is answered. */
const SENT = ['content-type', 'content-length', 'content-md5', 'range', 'if-match', 'if-none-match'];
const RECEIVED = [
  'content-type',
  'content-length',
  'content-range',
  'accept-ranges',
  'etag',
  'last-modified',
  'x-amz-version-id',
  'x-amz-delete-marker',
];
const SIGNATURE = /[?&]X-Amz-Signature=[0-9a-f]{64}(&|$)/;
const METHODS = ['DELETE', 'GET', 'HEAD', 'POST', 'PUT'];
/** Of one part, in bytes; larger objects come in several. */
const LARGEST = 64 * 1024 * 1024;
const PATIENCE_MS = 60_000;
/** Within which a server that is there accepts a connection. */
const CONNECT_MS = 3_000;

/** What is kept in a storage is its tenant's, and must do nothing in the name of this origin. */
const HARMLESS = {
  'content-security-policy': "sandbox; default-src 'none'",
  'content-disposition': 'attachment',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-store',
};

/** What a page of this origin could load as a part of itself is of no type that it runs. */
const RUN = /script|css|wasm/i;

/** Where a storage is: `http://127.77.0.5:9000`, and of one with TLS the authority of its certificate in PEM. */
export interface StorageAddress {
  readonly url: string;
  readonly authority: string | null;
}

export interface PassOnOptions {
  /** The path before the number of a storage. */
  readonly prefix: string;
  /** Undefined: there is none. */
  readonly addressOf: (storageId: number) => Promise<StorageAddress | undefined>;
  /** Whether requests are counted, as those of the API are: by their source, since nobody says who they are. */
  readonly isLimited: boolean;
}

/** Serves `PREFIX/NUMBER/BUCKET/KEY?…X-Amz-Signature=…`. */
export async function servePassOn(
  app: FastifyInstance,
  { prefix, addressOf, isLimited }: PassOnOptions,
): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Bodies are passed on as they come.
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    scope.route<{ Params: { storage: string } }>({
      method: METHODS,
      url: `${prefix}/:storage/*`,
      bodyLimit: LARGEST,
      config: isLimited ? { rateLimit: {} } : {},
      // Nobody, before requests are counted.
      onRequest: async (request) => {
        request.caller = NOBODY;
      },
      handler: async (request, reply) => {
        const { storage } = request.params;
        const target = (request.raw.url ?? '').slice(`${prefix}/${storage}`.length);
        if (!SIGNATURE.test(target))
          throw new HttpError(
            403,
            'Only signed addresses are passed on: make one with POST /virga/v1/object_storages/{storage_id}/signed_urls',
          );
        // What has no length has no end, and S3 refuses it as well.
        if (hasNoLength(request))
          throw new HttpError(411, 'Say how long the body is: content-length is missing');
        if (Number(request.headers['content-length'] ?? 0) > LARGEST)
          throw new HttpError(413, `A part has at most ${LARGEST / 1024 / 1024} MiB`);
        const address = /^[1-9]\d{0,8}$/.test(storage) ? await addressOf(Number(storage)) : undefined;
        if (address === undefined) throw new HttpError(404, `Storage ${storage} was not found`);
        return passOn(request, reply, address, target);
      },
    });
  });
}

/** Whether a body comes of which nobody knows how long it is. */
function hasNoLength({ headers, raw }: FastifyRequest): boolean {
  if (headers['content-length'] !== undefined) return false;
  const { stream } = raw as Partial<Pick<Http2ServerRequest, 'stream'>>;
  return stream ? !stream.endAfterHeaders : headers['transfer-encoding'] !== undefined;
}

function passOn(
  request: FastifyRequest,
  reply: FastifyReply,
  { url, authority }: StorageAddress,
  path: string,
): Promise<FastifyReply> {
  const { host, hostname: name, port, protocol } = new URL(url);
  // An address of IPv6 stands in brackets there.
  const hostname = name.replace(/^\[|\]$/g, '');
  const send = protocol === 'https:' ? https.request : http.request;
  const headers = { ...picked(request.headers, SENT), host };
  return new Promise((resolve, reject) => {
    const upstream = send({
      hostname,
      ...(authority === null ? {} : { ca: authority }),
      port,
      method: request.method,
      path,
      headers,
      timeout: PATIENCE_MS,
      // A connection that was kept may be closed in the moment in which a body is sent.
      agent: false,
    });
    const silent = setTimeout(() => upstream.destroy(new Error('no connection')), CONNECT_MS);
    upstream.once('socket', (socket) => socket.once('connect', () => clearTimeout(silent)));
    upstream.once('close', () => clearTimeout(silent));
    upstream.once('timeout', () => upstream.destroy(new Error('no answer')));
    upstream.once('error', () =>
      reject(
        new HttpError(
          502,
          'Nothing answers at the address of the storage; a simulated one has no server, a real one is started again within seconds',
        ),
      ),
    );
    upstream.once('response', (answer) => {
      reply.raw.once('close', () => answer.destroy());
      const { 'content-type': type = '', ...received } = picked(answer.headers, RECEIVED);
      reply
        .code(answer.statusCode ?? 502)
        .headers({ ...received, ...HARMLESS })
        .header('content-type', type === '' || RUN.test(type) ? 'application/octet-stream' : type);
      resolve(reply.send(answer));
    });
    request.raw.once('close', () => {
      if (!request.raw.complete) upstream.destroy();
    });
    request.raw.pipe(upstream);
  });
}

const picked = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
  names: readonly string[],
): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, String(value)]];
    }),
  );
