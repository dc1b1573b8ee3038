import { Type } from '@sinclair/typebox';
import { DomainError, PermissionDenied } from '../../kernel/errors.ts';
import { firstOf } from '../../kernel/headers.ts';
import type { Authenticator } from '../auth/caller.ts';
import { lackOf } from '../auth/roles.ts';
import type { Db } from '../database/db.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { countAlive } from '../nodes/store.ts';
import { within } from '../tasks/within.ts';
import { HttpError } from './errors.ts';
import { plainPath } from './paths.ts';
import { RawReply, type Route } from './route.ts';

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
  /** Why it is not ready though it has started. */
  readonly faults: () => readonly string[];
  /** What it does not do though it is ready. */
  readonly notes: () => readonly string[];
  /** Metrics that name resources. */
  readonly operatorMetrics: readonly (() => Promise<string>)[];
  readonly authenticator: Authenticator;
}

/** What machines ask about the server itself. */
export function probeRoutes({ metrics, isReady, faults, notes, ...probes }: Probes): readonly Route[] {
  return [
    plainPath('Internal', '/healthz').get({
      summary: 'The process lives',
      access: { public: 'asked by supervisors, says nothing else' },
      response: Status,
      handler: async () => ({ status: 'ok' }),
    }),
    plainPath('Internal', '/readyz').get({
      summary: 'The server accepts requests and reaches its database',
      access: { public: 'asked by supervisors and load balancers, says nothing of users' },
      response: Readiness,
      handler: async (ctx) => {
        if (!isReady()) throw new HttpError(503, 'starting or stopping');
        const wrong = faults();
        if (wrong.length > 0) throw new HttpError(503, wrong.join('; '));
        const said = [...notes(), ...(await nobodyWorks(ctx.db))];
        return { status: 'ready', ...(said.length > 0 ? { notes: [...said] } : {}) };
      },
    }),
    plainPath('Internal', '/metrics').get({
      summary: 'Metrics for Prometheus',
      description:
        'With an operator token also the counters of each load balancer and listener, and who works on which region.',
      access: {
        public: 'read by Prometheus on the same machine; without an operator token no names and no ids',
      },
      handler: async (_ctx, { headers }) => {
        const [named, text] = await Promise.all([
          namedMetrics(probes, headers.authorization),
          metrics.text(),
        ]);
        return new RawReply(metrics.registry.contentType, `${text}${named}`);
      },
    }),
  ];
}

/** Whoever asks looks again soon. */
const PATIENCE_MS = 900;

/** Says so when no process is alive that works on tasks; those that are accepted wait until there is one.
 *  @throws HttpError 503 when the database does not answer */
async function nobodyWorks(db: Db): Promise<readonly string[]> {
  const alive = await within(PATIENCE_MS, countAlive(db)).catch(() => {
    throw new HttpError(503, 'the database does not answer');
  });
  if (alive.some(({ role }) => role !== 'api')) return [];
  return ['nobody works on tasks: start a node with --role worker'];
}

/** What only operators see; nothing for a request without a token, and nothing while the database does not answer: what
 *  says that it is lost must be read then.
 *  @throws Unauthenticated, PermissionDenied for a token that is no operator's */
async function namedMetrics(
  { authenticator, operatorMetrics }: Pick<Probes, 'authenticator' | 'operatorMetrics'>,
  authorization: string | string[] | undefined,
): Promise<string> {
  if (authorization === undefined) return '';
  try {
    const { role } = await within(PATIENCE_MS, authenticator.authenticate(firstOf(authorization)));
    if (role !== 'operator') throw new PermissionDenied(lackOf(role, 'operate'));
    const all = await within(PATIENCE_MS, Promise.all(operatorMetrics.map((metrics) => metrics())));
    return all.join('');
  } catch (error) {
    if (error instanceof DomainError) throw error;
    return '';
  }
}
