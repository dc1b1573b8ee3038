import { Type } from '@sinclair/typebox';
import type { Metrics } from '../metrics/metrics.ts';
import { HttpError } from './errors.ts';
import { RawReply, type Route, route } from './route.ts';

const Status = Type.Object({ status: Type.String() });

/** What machines ask about the server itself. */
export function probeRoutes(metrics: Metrics, isReady: () => boolean): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/healthz',
      tag: 'Internal',
      summary: 'The process lives',
      access: { public: 'asked by supervisors, tells nothing else' },
      response: Status,
      handler: async () => ({ status: 'ok' }),
    }),
    route({
      method: 'GET',
      path: '/readyz',
      tag: 'Internal',
      summary: 'The server takes requests and reaches its database',
      access: { public: 'asked by supervisors and load balancers, tells nothing else' },
      response: Status,
      handler: async (ctx) => {
        if (!isReady()) throw new HttpError(503, 'starting or stopping');
        await ctx.db.named('ready', 'select 1', []).catch(() => {
          throw new HttpError(503, 'the database does not answer');
        });
        return { status: 'ready' };
      },
    }),
    route({
      method: 'GET',
      path: '/metrics',
      tag: 'Internal',
      summary: 'Metrics for Prometheus',
      access: {
        public: 'read by Prometheus on the same machine; counts and times without names or contents',
      },
      handler: async () => new RawReply(metrics.registry.contentType, await metrics.registry.metrics()),
    }),
  ];
}
