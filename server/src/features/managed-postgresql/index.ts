import type { Clock } from '../../kernel/clock.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Feature } from '../../platform/feature.ts';
import { unservedIn } from '../../platform/owners/unserved.ts';
import type { CapabilitiesOf } from '../regions/index.ts';
import type { PostgresqlService } from './access.ts';
import { clustersInNeed } from './attention.ts';
import { authoritiesOfClusters } from './authorities.ts';
import { backupRoutes } from './backup-routes.ts';
import { resealTlsKeys } from './certificates.ts';
import { resealPasswords } from './credentials.ts';
import { managedPostgresqlExamples } from './examples.ts';
import { mapOfClusters } from './map.ts';
import { Reconciler, type ReconcilerDeps } from './reconciler.ts';
import { statusRoutes } from './routes.ts';
import { clusterRoutes } from './routes-clusters.ts';
import { Sampler } from './samples.ts';
import { postgresqlTasks } from './tasks.ts';

export type { PostgresqlProvider } from './port.ts';

export interface ManagedPostgresqlDeps extends PostgresqlService, ReconcilerDeps {
  readonly capabilitiesOf: CapabilitiesOf;
  readonly clock: Clock;
}

/** One that may not be whole can only be deleted. */
const STATUS_WITHOUT_TASK = `case when status = 'UPDATING' then 'READY' else 'FAILED' end`;

const KEEP_EVERY_MS = 1000;
const SAMPLE_EVERY_MS = 60_000;

/** One that lacks its replica, or that its people have filled, has a fault and is served. */
const UNSERVED = sql`case when coalesce(observed #>> '{servers,phase}', 'down') = 'down' then observed ->> 'fault' end`;

export function managedPostgresql(deps: ManagedPostgresqlDeps): Feature {
  const reconciler = new Reconciler(deps);
  const sampler = new Sampler(deps.db, deps.clock);
  return {
    name: 'managed-postgresql',
    areas: {
      'Managed PostgreSQL':
        'Database servers that are run for you, with their databases, users and passwords.',
    },
    examples: managedPostgresqlExamples,
    needs: 'postgresql',
    certificates: authoritiesOfClusters,
    attention: clustersInNeed,
    unserved: unservedIn('postgresql_cluster', 'postgresql_clusters', UNSERVED),
    mapped: mapOfClusters,
    searched: [{ kind: 'postgresql_cluster', table: 'postgresql_clusters', status: 's.status' }],
    routes: [...statusRoutes(deps.capabilitiesOf), ...clusterRoutes(deps), ...backupRoutes(deps)],
    tasks: postgresqlTasks(deps),
    held: [
      {
        table: 'postgresql_clusters',
        becomes: `status = ${STATUS_WITHOUT_TASK}, next_spec = null`,
        parts: [
          {
            table: 'postgresql_users',
            becomes: 'next_verifier = null',
            where: (tasks) =>
              sql`cluster_id in (select id from postgresql_clusters where task_id = any(${tasks}::uuid[]))`,
          },
        ],
      },
    ],
    background: [
      {
        name: 'postgresql-keep',
        everyMs: KEEP_EVERY_MS,
        // It works on the regions that this node owns, each of which is nobody else's.
        exclusive: false,
        afterTakeOver: true,
        run: () => reconciler.run(),
      },
      { name: 'postgresql-samples', everyMs: SAMPLE_EVERY_MS, exclusive: true, run: sampler.run },
    ],
    reseal: async (tx, cipher) => (await resealPasswords(tx, cipher)) + (await resealTlsKeys(tx, cipher)),
  };
}
