import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import type { Route } from './route.ts';

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
  const own = new Map(
    routes.flatMap(({ spec }) => (spec.corsOrigins ? [[spec.path, spec.corsOrigins] as const] : [])),
  );
  await app.register(cors, {
    delegator: (request, callback) => {
      const path = request.url.split('?')[0] ?? '';
      callback(null, { ...SHARED, origin: originOption(own.get(path) ?? origins) });
    },
  });
}

function originOption(origins: CorsOrigins): string | string[] | false {
  if (origins === '*') return '*';
  return origins.length > 0 ? [...origins] : false;
}
