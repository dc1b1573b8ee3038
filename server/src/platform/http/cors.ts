import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import { type Route, urlOf } from './route.ts';

/** Origins of web pages that may read answers; `*`: any. */
export type CorsOrigins = readonly string[] | '*';

const SHARED: FastifyCorsOptions = {
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  exposedHeaders: ['x-request-id', 'retry-after', 'x-should-retry', 'idempotency-replayed'],
};

/** Lets pages of other origins call the API, those alone that are configured. */
export async function allowOrigins(
  app: FastifyInstance,
  origins: CorsOrigins,
  routes: readonly Route[],
): Promise<void> {
  await app.register(cors, { ...SHARED, origin: originOption(origins) });
  for (const { spec } of routes) {
    if (!spec.corsOrigins) continue;
    // Before it calls a route, a browser asks whether it may.
    app.options(urlOf(spec.path), { config: { cors: corsOf(spec) } }, (_request, reply) =>
      reply.callNotFound(),
    );
  }
}

/** What a route says of its own origins; absent: those of all routes may call it. */
export function corsOf({ corsOrigins }: Route['spec']): FastifyCorsOptions | undefined {
  return corsOrigins && { origin: originOption(corsOrigins) };
}

function originOption(origins: CorsOrigins): string | string[] | false {
  if (origins === '*') return '*';
  return origins.length > 0 ? [...origins] : false;
}
