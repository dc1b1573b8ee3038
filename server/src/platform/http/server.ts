import type { Server as TlsServer } from 'node:tls';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Clock } from '../../kernel/clock.ts';
import { NotFound, PermissionDenied, Unauthenticated } from '../../kernel/errors.ts';
import type { Ids } from '../../kernel/ids.ts';
import type { IpRanges } from '../../kernel/ip.ts';
import type { Logger } from '../../kernel/log.ts';
import { recordRead } from '../audit/audit.ts';
import { type Authenticator, type Caller, NOBODY, roleIn } from '../auth/caller.ts';
import { CredentialWatch } from '../auth/credential-watch.ts';
import { requireProof } from '../auth/recent.ts';
import { allows, lackOf } from '../auth/roles.ts';
import { refuseSuspended } from '../auth/suspended.ts';
import { WRONG_TOKENS, WrongTokens } from '../auth/wrong-tokens.ts';
import type { Db } from '../database/db.ts';
import type { Waiter } from '../database/liveness-probe.ts';
import { DatabaseSilent, isDatabaseLost, isDiskFull } from '../database/outage.ts';
import { SharedCounts } from '../limits/shared-counts.ts';
import { sourceOf } from '../limits/source.ts';
import type { Cipher } from '../secrets/cipher.ts';
import type { AtOnce } from '../tasks/at-once.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { logAccess } from './access-log.ts';
import { addHeaders, refuseManyHosts } from './answer-headers.ts';
import { acceptJson } from './body.ts';
import { BODY_LIMIT } from './bounds.ts';
import { compileAhead } from './compile-ahead.ts';
import { type CompressConfig, compressAnswers } from './compress.ts';
import { closeUnusedConnections, giveUpReset } from './connections.ts';
import type { RequestContext, ScopeResolver } from './context.ts';
import { allowOrigins, type CorsOrigins, corsOf } from './cors.ts';
import { DeferredWrites } from './deferred-writes.ts';
import { HttpError, toWire } from './errors.ts';
import { http2Options, limitHttp2 } from './http2.ts';
import { type Answer, checkKey, type KeyStore, once } from './idempotency.ts';
import { readInput } from './input.ts';
import { withoutDatabase, withoutRoom } from './lost-database.ts';
import { nearestPath, otherVersion } from './nearest-path.ts';
import { inPlainWords } from './plain-errors.ts';
import { clientAddress, givenRequestId, isTrusted } from './proxies.ts';
import { limitRate } from './rate-limit.ts';
import { bodyLimitOf, RawReply, type Route, urlOf } from './route.ts';
import { checkRoutes, otherMethods } from './route-table.ts';
import { resolveScope } from './scope.ts';
import { answerInOrder, PATIENCE, type Patience, timeouts, UnreadAnswers } from './slow-clients.ts';
import { isStrict } from './strict.ts';
import { reloadCertificates, type TlsFiles } from './tls.ts';
import { traceOf, traceRequests } from './tracing.ts';
import { Validator } from './validation.ts';

export interface ApiOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly cipher: Cipher;
  readonly log: Logger;
  readonly authenticator: Authenticator;
  readonly scopes: ScopeResolver;
  readonly routes: readonly Route[];
  /** Requests per minute and token; 0: no limit. */
  readonly rateLimit: number;
  /** Origins of web pages that may call the API; default: none but its own. */
  readonly corsOrigins?: CorsOrigins;
  readonly patience?: Patience;
  /** Whose `X-Forwarded-*`, `X-Request-ID` and `traceparent` are believed; absent: nobody's. */
  readonly trustedProxies?: IpRanges | undefined;
  /** Where people reach the portal, without a slash at the end. */
  readonly publicUrl?: string | undefined;
  /** Absent: plain HTTP. */
  readonly tls?: TlsFiles | undefined;
  /** Absent: nothing is traced. */
  readonly tracing?: Tracing | undefined;
  /** As which the other nodes know this one. Default: they do not. */
  readonly session?: () => string | undefined;
  /** This node's worker; absent: it has none. */
  readonly atOnce?: AtOnce | undefined;
  /** One line for each request. */
  readonly accessLog?: boolean;
  /** Refuse fields and parameters that are not known, unless a request says otherwise. */
  readonly strict?: boolean;
  /** Check every response against its schema (tests). */
  readonly checkResponses?: boolean;
  /** Sees every finished request. */
  readonly observe?: (route: string, method: string, status: number, seconds: number) => void;
}

/** Characters of what a caller calls itself. */
const LONGEST_AGENT = 300;
/** Characters. */
const LARGE_ANSWER = 16_384;

/** What a route says to the hooks and handlers of all routes. */
interface RouteConfig extends CompressConfig {
  readonly needs?: string | undefined;
  readonly rateLimit?: object;
  readonly cors?: object | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
}

/** Builds the HTTP server with every route; it does not listen yet. */
export async function buildApi(options: ApiOptions): Promise<FastifyInstance> {
  checkRoutes(options.routes);
  const patience = options.patience ?? PATIENCE;
  const unread = new UnreadAnswers(patience.unreadBytes);
  // Fastify's types distinguish HTTP, HTTPS and HTTP/2; nothing here does.
  const app: FastifyInstance = Fastify({
    ...timeouts(patience),
    loggerInstance: options.log as FastifyBaseLogger,
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    ...(http2Options(options.tls, patience) as object),
    // Nobody's word is looked for where nobody's counts: requests ask for their address several times.
    trustProxy: options.trustedProxies ? (address) => isTrusted(options.trustedProxies, address) : false,
    genReqId: (request) => givenRequestId(options.trustedProxies, request) ?? options.ids.uuid(),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      sendError(error, request as FastifyRequest, reply as FastifyReply);
    },
  });
  if (options.tls) {
    const stop = reloadCertificates(app.server as unknown as TlsServer, options.tls, options.log);
    app.addHook('onClose', async () => stop());
    limitHttp2(app, patience);
  }
  // Before all hooks that ask from where a request comes.
  giveUpReset(app);
  if (options.tracing) traceRequests(app, options.tracing, options.trustedProxies);
  acceptJson(app);
  refuseManyHosts(app);
  closeUnusedConnections(app);
  answerInOrder(app, patience);
  await allowOrigins(app, options.corsOrigins ?? [], options.routes);
  if (options.rateLimit > 0) {
    const counts = new SharedCounts({ ...options, name: 'requests', limit: options.rateLimit });
    await limitRate(app, options.rateLimit, counts);
  }
  app.decorateRequest('caller', null as never);
  compressAnswers(app);
  app.addHook('onSend', (request, reply, payload, done) => {
    addHeaders(request, reply);
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0;
    if (bytes >= LARGE_ANSWER) unread.add(reply.raw, bytes);
    done(null, payload);
  });
  if (options.accessLog) logAccess(app, options.log);
  if (options.observe) observeRequests(app, options.observe);
  app.setErrorHandler(async (error, request, reply) => {
    const isLost = isDatabaseLost(error);
    if (isLost) options.db.lost(error as Error);
    if (isDiskFull(error) || (isLost && options.db.room.isFull)) {
      sendError(withoutRoom(), request, reply);
      return reply;
    }
    const { needs } = request.routeOptions.config as RouteConfig;
    const params = (request.params ?? {}) as Record<string, string>;
    sendError(await inPlainWords(error, { ...options, params, needs }), request, reply);
    return reply;
  });
  app.setNotFoundHandler(async (request) => refuseUnknown(options.routes, request));
  const watch = new CredentialWatch();
  app.addHook('onClose', async () => watch.close());
  const wrongTokens = new SharedCounts({ ...options, name: 'wrong tokens', limit: WRONG_TOKENS });
  const deferredWrites = new DeferredWrites();
  app.addHook('onClose', async () => deferredWrites.close());
  const shared = {
    validator: new Validator(),
    watch,
    wrongTokens: new WrongTokens(wrongTokens),
    keyStore: { session: options.session ?? (() => undefined), deferredWrites },
  };
  for (const route of options.routes) addRoute(app, route, options, shared);
  app.addHook('onListen', async () => {
    const stop = compileAhead(shared.validator, options.routes, app.server);
    app.server.once('close', stop);
  });
  return app;
}

function refuseUnknown(routes: readonly Route[], request: FastifyRequest): never {
  const path = request.url.split('?')[0] ?? '/';
  const allowed = otherMethods(routes, path);
  if (allowed.length === 0) {
    const nearest = nearestPath(routes, path);
    throw new NotFound(`There is nothing at ${path}${nearest ? `; did you mean ${nearest}?` : ''}`);
  }
  const { method } = request;
  const other = otherVersion(routes, method, path);
  const instead = `use ${allowed.join(' or ')}${other ? `, or ${method} ${other}` : ''}`;
  throw new HttpError(405, `${method} is not allowed here; ${instead}`, {
    allow: allowed.join(', '),
  });
}

function observeRequests(app: FastifyInstance, observe: NonNullable<ApiOptions['observe']>): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { url = 'unknown' } = request.routeOptions;
    observe(url, request.method, reply.statusCode, reply.elapsedTime / 1000);
    done();
  });
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const wire = toWire(asHttpError(error, request), request.url, request.id);
  // What was answered on purpose, such as that this node is still starting, is logged where its cause is.
  const isFault = wire.status >= 500 && !(error instanceof HttpError) && !isDatabaseLost(error);
  const level = isFault ? 'error' : 'debug';
  request.log[level](
    { err: error, requestId: request.id, method: request.method, path: request.routeOptions.url },
    'request refused',
  );
  reply.code(wire.status).headers(wire.headers).type(wire.contentType).send(JSON.stringify(wire.body));
}

/** Fastify's own refusals (too large, wrong media type, malformed URL) as errors of our own. */
function asHttpError(error: unknown, { routeOptions, method }: FastifyRequest): unknown {
  if (isDatabaseLost(error)) return withoutDatabase(method);
  if (!(error instanceof Error) || !('statusCode' in error) || !('code' in error)) return error;
  const status = Number(error.statusCode);
  if (status < 400 || status >= 500 || !String(error.code).startsWith('FST_')) return error;
  if (status === 413) {
    const kib = Math.floor((routeOptions?.bodyLimit ?? BODY_LIMIT) / 1024);
    return new HttpError(
      status,
      `The body is larger than ${kib >= 1024 ? `${kib / 1024} MiB` : `${kib} KiB`}`,
    );
  }
  return new HttpError(status, status === 415 ? 'Send the body as application/json' : error.message);
}

/** What all routes use. */
interface Shared {
  readonly validator: Validator;
  readonly watch: CredentialWatch;
  readonly wrongTokens: WrongTokens;
  readonly keyStore: KeyStore;
}

function addRoute(
  app: FastifyInstance,
  { scope, spec, needs }: Route,
  options: ApiOptions,
  { validator, watch, wrongTokens, keyStore }: Shared,
): void {
  const { access } = spec;
  const { liveness } = options.db;
  const identify = async (request: FastifyRequest, fresh = false): Promise<Caller> => {
    if (typeof access === 'object') return NOBODY;
    const caller = await options.authenticator.identify(request, { fresh });
    refuseSuspended(caller, spec.method);
    const { project_id } = request.params as { project_id?: string };
    const projectId = project_id === undefined ? undefined : Number(project_id);
    const role = roleIn(caller, projectId);
    if (!allows(role, access)) throw new PermissionDenied(lackOf(role, access, caller.tokenId === 0));
    requireProof(caller, spec, options.clock.now());
    return caller;
  };
  const contextOf = (request: FastifyRequest, reply: FastifyReply, db: Db): RequestContext => ({
    db,
    clock: options.clock,
    ids: options.ids,
    cipher: options.cipher,
    // Made when it is needed: most requests log nothing, and a logger of its own is dear.
    get log() {
      return options.log.child({ requestId: request.id });
    },
    requestId: request.id,
    trace: traceOf(request),
    caller: request.caller,
    atOnce: options.atOnce,
    remoteAddress: clientAddress(request.ip, request.socket.remoteAddress),
    secure: request.protocol === 'https',
    publicUrl: options.publicUrl,
    userAgent: request.headers['user-agent']?.slice(0, LONGEST_AGENT) ?? null,
    revocation: () => revocationOf(watch, request, reply, spec, () => identify(request, true)),
  });
  app.route({
    method: spec.method,
    url: urlOf(spec.path),
    config: {
      needs,
      compress: spec.method === 'GET' && !spec.sensitive,
      ...(options.rateLimit > 0 && { rateLimit: {} }),
      ...(spec.corsOrigins && { cors: corsOf(spec) }),
    } satisfies RouteConfig,
    bodyLimit: bodyLimitOf(spec),
    onRequest: async (request) => {
      request.caller = NOBODY;
      if (typeof access === 'object') return;
      const { authorization, cookie } = request.headers;
      const credential = authorization ?? cookie;
      if (liveness.isSilent) throw new DatabaseSilent();
      request.caller = await liveness.during(() =>
        wrongTokens.guard(
          credential,
          () => sourceOf(request.ip),
          () => identify(request),
        ),
      );
    },
    handler: async (request, reply) => {
      const send = await liveness.during((waiter) => answer(request, reply, waiter));
      return send();
    },
  });

  /** Does what is asked. @returns how to say so */
  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    waiter: Waiter,
  ): Promise<() => FastifyReply> {
    const strict = isStrict(request.headers, options.strict ?? false);
    const { params, query, body } = await readInput(validator, spec, { request, strict });
    const key = spec.method === 'GET' ? undefined : checkKey(request.headers['idempotency-key']);
    const isKeyed = key !== undefined && typeof access !== 'object';
    // Whoever has given up cannot know what was done afterwards, unless he asks again with his key.
    const isForgotten = spec.method !== 'GET' && !isKeyed;
    const ctx = contextOf(request, reply, isForgotten ? options.db.for(waiter) : options.db);
    if (request.caller.actsFor && spec.method === 'GET') await recordRead(ctx, request.url);
    const inScope = () =>
      resolveScope(ctx, { scope, spec }, { params: request.params, body }, options.scopes);
    const input = { params, query, body, headers: request.headers };
    if (isKeyed) {
      const { method, sensitive = false, status = 200 } = spec;
      const keyed = { key, method, path: request.url, body: request.body, sensitive, status };
      // A request that was done has its answer, whatever has become of the project or region since.
      const work = async (db: Db) => spec.handler({ ...(await inScope()), db } as never, input as never);
      const kept = await once(ctx, keyed, keyStore, work);
      return () => sendAnswer(reply, kept);
    }
    const result = await spec.handler((await inScope()) as never, input as never);
    return () => sendResult(reply, spec, result, options.checkResponses ? validator : undefined);
  }
}

/** A signal that aborts when the request would no longer be let in. */
function revocationOf(
  watch: CredentialWatch,
  request: FastifyRequest,
  reply: FastifyReply,
  { access }: Route['spec'],
  identify: () => Promise<Caller>,
): AbortSignal {
  if (typeof access === 'object') return new AbortController().signal;
  const isGood = () =>
    identify().then(
      ({ clientId }) => clientId === request.caller.clientId,
      (error: unknown) => {
        if (error instanceof Unauthenticated || error instanceof PermissionDenied) return false;
        throw error;
      },
    );
  const { signal, stop } = watch.watch(
    `${access} ${request.headers.authorization ?? request.headers.cookie}`,
    isGood,
  );
  reply.raw.once('close', stop);
  reply.raw.once('finish', stop);
  return signal;
}

function sendAnswer(reply: FastifyReply, { status, body, replayed, headers = {} }: Answer) {
  if (replayed) reply.header('idempotency-replayed', 'true');
  reply.headers(headers);
  reply.code(status);
  return body === null || body === ''
    ? reply.send()
    : reply.type('application/json; charset=utf-8').send(body);
}

function sendResult(
  reply: FastifyReply,
  spec: Route['spec'],
  result: unknown,
  validator: Validator | undefined,
) {
  if (result instanceof RawReply) {
    const answer = reply.code(spec.status ?? 200).headers(result.headers);
    return result.payload === '' ? answer.send() : answer.type(result.contentType).send(result.payload);
  }
  const status = spec.status ?? 200;
  if (status === 204 || result === undefined) return reply.code(status).send();
  if (validator && spec.response) {
    const faults = validator.faults(spec.response, JSON.parse(JSON.stringify(result)));
    if (faults) throw new Error(`the response of ${spec.method} ${spec.path} breaks its schema: ${faults}`);
  }
  // Measured: JSON.stringify is faster here than serializers generated from the schemas. Large answers go as bytes,
  // which the garbage collector need not move while they are being sent.
  const text = JSON.stringify(result);
  const payload = text.length < LARGE_ANSWER ? text : Buffer.from(text);
  return reply.code(status).type('application/json; charset=utf-8').send(payload);
}
