import { Forbidden } from '../../kernel/errors.ts';
import { regionPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { SeriesQuery, TaskIds } from '../../platform/http/schemas.ts';
import type { PostgresqlService } from './access.ts';
import * as clusters from './clusters.ts';
import * as reads from './reads.ts';
import { checkGiven, checkGivenChange } from './rules.ts';
import { readSeries } from './samples.ts';
import {
  Authority,
  CheckedConf,
  Cluster,
  ClusterList,
  ClusterParams,
  Configuration,
  ConfToCheck,
  CreateCluster,
  Credentials,
  ExceededLimits,
  ListClusters,
  MetricsView,
  Series,
  Servers,
  UpdateCluster,
  UserParams,
} from './schema.ts';
import { regenerateCredentials, showCredentials } from './user-credentials.ts';

const tag = 'Managed PostgreSQL';
const base = regionPath(tag, '/cloud/v1/dbaas/postgres');
const all = base.at('clusters/{project_id}/{region_id}');
const one = all.at('{cluster_name}', ClusterParams.properties);

export const clusterRoutes = (service: PostgresqlService): readonly Route[] => [
  ...commandRoutes(service),
  ...readRoutes(),
  ...credentialRoutes(service),
  ...settingRoutes(service),
];

function commandRoutes(service: PostgresqlService): readonly Route[] {
  return [
    all.post({
      summary: 'Create a PostgreSQL cluster',
      body: CreateCluster,
      rules: checkGiven,
      takes: () => ['disk', 'memory', 'postgresql'],
      response: TaskIds,
      handler: (ctx, { body }) => clusters.createCluster(service, ctx, body),
    }),
    one.patch({
      summary: 'Change a PostgreSQL cluster',
      description:
        'What is left out or null stays as it is. Databases and users that are named are added or changed; those that are not named stay.',
      body: UpdateCluster,
      rules: checkGivenChange,
      response: TaskIds,
      handler: (ctx, { params, body }) => clusters.updateCluster(service, ctx, params.cluster_name, body),
    }),
    one.delete({
      summary: 'Delete a PostgreSQL cluster with all its data',
      response: TaskIds,
      handler: (ctx, { params }) => clusters.deleteCluster(service, ctx, params.cluster_name),
    }),
  ];
}

function readRoutes(): readonly Route[] {
  return [
    all.get({
      summary: 'List PostgreSQL clusters',
      query: ListClusters,
      response: ClusterList,
      handler: (ctx, { query }) => reads.listClusters(ctx, query),
    }),
    one.get({
      summary: 'Get a PostgreSQL cluster',
      response: Cluster,
      handler: (ctx, { params }) => reads.readCluster(ctx, params.cluster_name),
    }),
    one.at('ca_certificate').get({
      operationId: 'getPostgresCaCertificate',
      summary: 'Get the certificate by which clients know the servers of a PostgreSQL cluster',
      response: Authority,
      handler: (ctx, { params }) => reads.readAuthority(ctx, params.cluster_name),
    }),
    one.at('metrics').get({
      operationId: 'getPostgresClusterMetrics',
      summary: 'Get what was last measured of a PostgreSQL cluster',
      response: MetricsView,
      handler: (ctx, { params }) => reads.readMetrics(ctx, params.cluster_name),
    }),
    regionPath(
      tag,
      '/virga/v1/postgresql_clusters/{project_id}/{region_id}/{cluster_name}/series',
      ClusterParams.properties,
    ).get({
      operationId: 'getPostgresClusterSeries',
      summary: 'Get what was measured of a PostgreSQL cluster over time',
      description:
        'Each minute is kept for a day, a quarter of an hour for 30 days; an answer has at most 1,440 points.',
      query: SeriesQuery,
      response: Series,
      handler: (ctx, { params, query }) => readSeries(ctx, params.cluster_name, query.hours),
    }),
    regionPath(
      tag,
      '/virga/v1/postgresql_clusters/{project_id}/{region_id}/{cluster_name}/servers',
      ClusterParams.properties,
    ).get({
      summary:
        'See which server of a PostgreSQL cluster is the primary, and whether its replica can take over',
      response: Servers,
      handler: (ctx, { params }) => reads.readServers(ctx, params.cluster_name),
    }),
  ];
}

function credentialRoutes(service: PostgresqlService): readonly Route[] {
  const path = one.at('users/{username}/credentials', UserParams.properties);
  return [
    path.get({
      operationId: 'getPostgresCredentials',
      summary: 'Show the password of a user, once',
      description: 'For programs; a browser that is signed in shows it by `POST`.',
      access: 'write',
      sensitive: true,
      response: Credentials,
      handler: (ctx, { params }) => {
        // A read needs no token against forgery, and browsers repeat one or make it ahead.
        if (ctx.caller.isBrowser) throw new Forbidden('A browser shows a password, once, with POST');
        return showCredentials(service, ctx, { cluster: params.cluster_name, user: params.username });
      },
    }),
    regionPath(
      tag,
      '/virga/v1/postgresql_clusters/{project_id}/{region_id}/{cluster_name}/users/{username}/show_password',
      UserParams.properties,
    ).post({
      operationId: 'showPostgresPassword',
      summary: 'Show the password of a user, once',
      sensitive: true,
      response: Credentials,
      handler: (ctx, { params }) =>
        showCredentials(service, ctx, { cluster: params.cluster_name, user: params.username }),
    }),
    path.post({
      operationId: 'renewPostgresCredentials',
      summary: 'Give a user a new password, and show it',
      sensitive: true,
      response: Credentials,
      handler: (ctx, { params }) =>
        regenerateCredentials(service, ctx, { cluster: params.cluster_name, user: params.username }),
    }),
  ];
}

function settingRoutes(service: PostgresqlService): readonly Route[] {
  return [
    base.at('configuration/{project_id}/{region_id}').get({
      summary: 'List the versions, flavors and storage classes of PostgreSQL clusters',
      response: Configuration,
      handler: (ctx) => reads.readConfiguration(service, ctx),
    }),
    base.at('validate_pg_conf/{project_id}/{region_id}').post({
      operationId: 'validatePostgresConfiguration',
      summary: 'Check the lines of a postgresql.conf',
      access: 'read',
      body: ConfToCheck,
      response: CheckedConf,
      handler: (ctx, { body }) => clusters.checkConf(service, ctx, body),
    }),
    base.at('check_limit/{project_id}/{region_id}').post({
      operationId: 'checkLimitsForPostgresCluster',
      summary: 'Check whether quotas suffice for a PostgreSQL cluster',
      access: 'read',
      body: CreateCluster,
      rules: checkGiven,
      response: ExceededLimits,
      handler: (ctx) => clusters.checkLimits(service, ctx),
    }),
  ];
}
