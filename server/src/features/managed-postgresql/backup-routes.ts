import { Type } from '@sinclair/typebox';
import { regionPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { DateTime, Nullable, TaskIds } from '../../platform/http/schemas.ts';
import type { PostgresqlService } from './access.ts';
import { listBackups, restoreCluster, scheduleBackups } from './backups.ts';
import { ClusterParams, newClusterName } from './schema.ts';

const Schedule = Type.Object(
  {
    every_hours: Type.Integer({ minimum: 1, maximum: 168, description: 'Hours from one copy to the next' }),
    keep: Type.Integer({ minimum: 1, maximum: 30, description: 'How many copies are kept' }),
  },
  { additionalProperties: false, $id: 'PostgresqlBackupSchedule' },
);
const time = (description: string) => Type.String({ format: 'date-time', description });
const Backups = Type.Object(
  {
    schedule: Nullable(Schedule, { description: 'null: there are no backups' }),
    backups: Type.Array(
      Type.Object(
        {
          taken_at: time('When the copy was whole'),
          size_bytes: Type.Integer({ minimum: 0, description: 'What the copy uses on the disk' }),
        },
        { $id: 'PostgresqlBackup' },
      ),
      { description: 'The oldest first' },
    ),
    restorable_from: Nullable(time('The first moment that a new cluster can have the data of')),
  },
  { $id: 'PostgresqlBackups' },
);
const Restore = Type.Object(
  {
    cluster_name: newClusterName(),
    until: Type.Optional(
      Nullable(
        DateTime({ description: 'The moment whose data the new cluster has; null: what there is now' }),
        { default: null },
      ),
    ),
  },
  { additionalProperties: false, $id: 'RestorePostgresqlCluster' },
);

const access = 'operate';
const base = regionPath(
  'Operator',
  '/virga/v1/postgresql_clusters/{project_id}/{region_id}/{cluster_name}',
  ClusterParams.properties,
);
const path = base.at('backups');

export const backupRoutes = (service: PostgresqlService): readonly Route[] => [
  path.get({
    operationId: 'listPostgresqlBackups',
    summary: 'List the backups of a PostgreSQL cluster',
    access,
    response: Backups,
    handler: (ctx, { params: named }) => listBackups(ctx, named.cluster_name),
  }),
  path.put({
    operationId: 'schedulePostgresqlBackups',
    summary: 'Back up a PostgreSQL cluster on a schedule',
    description:
      'The first copy is made at once. What is changed between copies is kept, too, so that every moment since the oldest copy can be restored.',
    access,
    body: Schedule,
    response: Backups,
    handler: (ctx, { params: named, body }) => scheduleBackups(service, ctx, named.cluster_name, body),
  }),
  path.delete({
    operationId: 'endPostgresqlBackups',
    summary: 'End the backups of a PostgreSQL cluster, and remove them',
    access,
    status: 204,
    handler: async (ctx, { params: named }) => {
      await scheduleBackups(service, ctx, named.cluster_name, null);
    },
  }),
  base.at('restore').post({
    operationId: 'restorePostgresqlCluster',
    summary: 'Restore a PostgreSQL cluster into a new one',
    description: 'The new one has a place and passwords of its own; the other one goes on.',
    takes: () => ['disk', 'memory', 'postgresql'],
    access,
    body: Restore,
    response: TaskIds,
    handler: (ctx, { params: named, body }) => restoreCluster(service, ctx, named.cluster_name, body),
  }),
];
