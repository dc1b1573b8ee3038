import { Type } from '@sinclair/typebox';
import { PermissionDenied } from '../../kernel/errors.ts';
import type { Authenticator } from '../auth/caller.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { HttpError } from './errors.ts';
import { RawReply, type Route, route } from './route.ts';

const Status = Type.Object({ status: Type.String() });
const Readiness = Type.Object({
  status: Type.String(),
  notes: Type.Optional(
    Type.Array(Type.String(), {
      description: 'What this server does not do, and why. Absent: it does it all.',
    }),
  ),
});

export interface Probes {
  readonly metrics: Metrics;
  readonly isReady: () => boolean;
  /** What it does not do though it is ready. */
  readonly notes: () => readonly string[];
  /** Metrics that name resources. */
  readonly operatorMetrics: readonly (() => Promise<string>)[];
  readonly authenticator: Authenticator;
}

/** What machines ask about the server itself. */
export function probeRoutes({ metrics, isReady, notes, ...probes }: Probes): readonly Route[] {
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
      access: { public: 'asked by supervisors and load balancers, tells nothing of users' },
      response: Readiness,
      handler: async (ctx) => {
        if (!isReady()) throw new HttpError(503, 'starting or stopping');
        await ctx.db.named('ready', 'select 1', []).catch(() => {
          throw new HttpError(503, 'the database does not answer');
        });
        const said = notes();
        return { status: 'ready', ...(said.length > 0 ? { notes: [...said] } : {}) };
      },
    }),
    route({
      method: 'GET',
      path: '/metrics',
      tag: 'Internal',
      summary: 'Metrics for Prometheus',
      description: 'With an operator token also the counters of each load balancer and listener.',
      access: {
        public: 'read by Prometheus on the same machine; without an operator token no names and no ids',
      },
      handler: async (_ctx, { headers }) => {
        const named = await namedMetrics(probes, headers.authorization);
        return new RawReply(metrics.registry.contentType, `${await metrics.registry.metrics()}${named}`);
      },
    }),
  ];
}

/** What only operators see; nothing for a request without a token.
 *  @throws Unauthenticated, PermissionDenied for a token that is no operator's */
async function namedMetrics(
  { authenticator, operatorMetrics }: Pick<Probes, 'authenticator' | 'operatorMetrics'>,
  authorization: string | string[] | undefined,
): Promise<string> {
  if (authorization === undefined) return '';
  const { role } = await authenticator.authenticate([authorization].flat()[0]);
  if (role !== 'operator') throw new PermissionDenied();
  return (await Promise.all(operatorMetrics.map((metrics) => metrics()))).join('');
}
