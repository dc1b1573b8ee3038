import cors from '@fastify/cors';
import rateLimit from '@fastify/rate-limit';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Clock } from '../../kernel/clock.ts';
import { Invalid, Locked, NotFound, PermissionDenied, TooManyRequests } from '../../kernel/errors.ts';
import type { Ids } from '../../kernel/ids.ts';
import type { Logger } from '../../kernel/log.ts';
import { type Authenticator, type Caller, NOBODY } from '../auth/caller.ts';
import { allows } from '../auth/roles.ts';
import type { Db } from '../database/db.ts';
import { acceptJson, refuseUnstorable } from './body.ts';
import { closeUnusedConnections } from './connections.ts';
import type { RequestContext, ScopeResolver } from './context.ts';
import { HttpError, toWire } from './errors.ts';
import { type Answer, checkKey, once } from './idempotency.ts';
import { RawReply, type Route } from './route.ts';
import { checkRoutes, otherMethods } from './route-table.ts';
import { resolveScope } from './scope.ts';
import { Validator } from './validation.ts';

export interface ApiOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly authenticator: Authenticator;
  readonly scopes: ScopeResolver;
  readonly routes: readonly Route[];
  /** Requests per minute and token; 0: no limit. */
  readonly rateLimit: number;
  /** Check every response against its schema (tests). */
  readonly checkResponses?: boolean;
  /** Sees every finished request. */
  readonly observe?: (route: string, method: string, status: number, seconds: number) => void;
}

export const BODY_LIMIT = 2 * 1024 * 1024;
/** Characters. */
const LARGE_ANSWER = 16_384;

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
}

/** Builds the HTTP server with every route; it does not listen yet. */
export async function buildApi(options: ApiOptions): Promise<FastifyInstance> {
  checkRoutes(options.routes);
  const app = Fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    genReqId: () => options.ids.uuid(),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      sendError(error, request as FastifyRequest, reply as FastifyReply);
    },
  });
  acceptJson(app);
  closeUnusedConnections(app);
  await app.register(cors, {
    origin: true,
    exposedHeaders: ['x-request-id', 'retry-after', 'x-should-retry', 'idempotency-replayed'],
  });
  if (options.rateLimit > 0) await limitRate(app, options.rateLimit);
  app.decorateRequest('caller', null as never);
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  if (options.observe) observeRequests(app, options.observe);
  app.setErrorHandler(async (error, request, reply) => {
    sendError(error instanceof Locked ? await naming(options.db, error) : error, request, reply);
    return reply;
  });
  app.setNotFoundHandler(async (request) => refuseUnknown(options.routes, request));
  const validator = new Validator();
  for (const route of options.routes) addRoute(app, route, options, validator);
  return app;
}

function refuseUnknown(routes: readonly Route[], request: FastifyRequest): never {
  const path = request.url.split('?')[0] ?? '/';
  const allowed = otherMethods(routes, path);
  if (allowed.length === 0) throw new NotFound(`There is nothing at ${path}`);
  throw new HttpError(405, `${request.method} is not allowed here; use ${allowed.join(' or ')}`, {
    allow: allowed.join(', '),
  });
}

async function limitRate(app: FastifyInstance, perMinute: number): Promise<void> {
  await app.register(rateLimit, {
    global: false,
    hook: 'preValidation',
    max: perMinute,
    timeWindow: 60_000,
    keyGenerator: (request) => (request.caller.tokenId ? `token ${request.caller.tokenId}` : request.ip),
    errorResponseBuilder: (_request, context) => new TooManyRequests(context.ttl),
  });
}

function observeRequests(app: FastifyInstance, observe: NonNullable<ApiOptions['observe']>): void {
  app.addHook('onResponse', async (request, reply) => {
    observe(
      request.routeOptions.url ?? 'unknown',
      request.method,
      reply.statusCode,
      reply.elapsedTime / 1000,
    );
  });
}

/** Says what kind of task holds what the caller wants. */
async function naming(db: Db, error: Locked): Promise<Locked> {
  const [task] = await db
    .named<{ type: string }>('task_type', 'select type from tasks where id = $1', [error.taskId])
    .catch(() => []);
  return task ? new Locked(error.what, error.taskId, task.type) : error;
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const wire = toWire(asHttpError(error), request.url, request.id);
  const level = wire.status >= 500 ? 'error' : 'debug';
  request.log[level](
    { err: error, method: request.method, path: request.routeOptions.url },
    'request refused',
  );
  reply.code(wire.status).headers(wire.headers).type(wire.contentType).send(JSON.stringify(wire.body));
}

const FRAMEWORK_MESSAGES: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: `The body is larger than ${BODY_LIMIT / 1024 / 1024} MiB`,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Send the body as application/json',
};

/** Fastify's own refusals (too large, wrong media type, malformed URL) as errors of our own. */
function asHttpError(error: unknown): unknown {
  if (!(error instanceof Error) || !('statusCode' in error) || !('code' in error)) return error;
  const status = Number(error.statusCode);
  if (status < 400 || status >= 500 || !String(error.code).startsWith('FST_')) return error;
  return new HttpError(status, FRAMEWORK_MESSAGES[String(error.code)] ?? error.message);
}

function addRoute(
  app: FastifyInstance,
  { scope, spec }: Route,
  options: ApiOptions,
  validator: Validator,
): void {
  const { access } = spec;
  const contextOf = (request: FastifyRequest): RequestContext => ({
    db: options.db,
    clock: options.clock,
    ids: options.ids,
    // Made when it is needed: most requests log nothing, and a logger of its own is dear.
    get log() {
      return options.log.child({ requestId: request.id });
    },
    requestId: request.id,
    caller: request.caller,
    remoteAddress: request.ip,
  });
  app.route({
    method: spec.method,
    url: spec.path.replace(/\{(\w+)\}/g, ':$1'),
    config: options.rateLimit > 0 ? { rateLimit: {} } : {},
    onRequest: async (request) => {
      request.caller = NOBODY;
      if (typeof access === 'object') return;
      request.caller = await options.authenticator.authenticate(request.headers.authorization);
      if (!allows(request.caller.role, access)) throw new PermissionDenied();
    },
    handler: async (request, reply) => {
      if (/%00/.test(request.url)) refuseNul(request);
      const params = spec.params && validator.check(spec.params, request.params, 'path');
      const query = spec.query && validator.check(spec.query, request.query, 'query');
      const body = spec.body && (await checkBody(validator, spec, request.body));
      const ctx = await resolveScope(contextOf(request), { scope, spec }, request.params, options.scopes);
      const input = { params, query, body, headers: request.headers };
      const key = spec.method === 'GET' ? undefined : checkKey(request.headers['idempotency-key']);
      if (key !== undefined && typeof access !== 'object') {
        const { method, sensitive = false, status = 200 } = spec;
        const keyed = { key, method, path: request.url, body: request.body, sensitive, status };
        const work = (db: Db) => spec.handler({ ...ctx, db } as never, input as never);
        return sendAnswer(reply, await once(ctx, keyed, work));
      }
      const result = await spec.handler(ctx as never, input as never);
      return sendResult(reply, spec, result, options.checkResponses ? validator : undefined);
    },
  });
}

/** @throws Invalid with the faults that the schema finds and those that only the feature can see */
async function checkBody(validator: Validator, spec: Route['spec'], value: unknown): Promise<unknown> {
  if (!spec.body) return undefined;
  const own = value === undefined ? {} : ((await spec.bodyFaults?.(value)) ?? {});
  try {
    const body = validator.check(spec.body, value, 'body');
    if (Object.keys(own).length === 0) return body;
  } catch (error) {
    throw error instanceof Invalid ? new Invalid({ ...own, ...error.fields }) : error;
  }
  throw new Invalid(own);
}

/** PostgreSQL cannot store NUL, in a path or query as little as in a body. */
function refuseNul(request: FastifyRequest): void {
  refuseUnstorable(request.params, 'path');
  refuseUnstorable(request.query, 'query');
}

function sendAnswer(reply: FastifyReply, { status, body, replayed }: Answer) {
  if (replayed) reply.header('idempotency-replayed', 'true');
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
    return reply.headers(result.headers).type(result.contentType).send(result.payload);
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
