import { type Route, regionRoute } from '../../platform/http/route.ts';
import { RegionParams, TaskIds } from '../../platform/http/schemas.ts';
import type { PostgresqlService } from './access.ts';
import * as clusters from './clusters.ts';
import * as reads from './reads.ts';
import { checkGiven, checkGivenChange } from './rules.ts';
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
  Servers,
  UpdateCluster,
  UserParams,
} from './schema.ts';
import { regenerateCredentials, showCredentials } from './user-credentials.ts';

const tag = 'Managed PostgreSQL';
const base = '/cloud/v1/dbaas/postgres';
const all = `${base}/clusters/{project_id}/{region_id}`;
const one = `${all}/{cluster_name}`;

export const clusterRoutes = (service: PostgresqlService): readonly Route[] => [
  ...commandRoutes(service),
  ...readRoutes(),
  ...credentialRoutes(service),
  ...settingRoutes(service),
];

function commandRoutes(service: PostgresqlService): readonly Route[] {
  return [
    regionRoute({
      method: 'POST',
      path: all,
      tag,
      summary: 'Create a PostgreSQL cluster',
      access: 'write',
      params: RegionParams,
      body: CreateCluster,
      rules: checkGiven,
      response: TaskIds,
      handler: (ctx, { body }) => clusters.createCluster(service, ctx, body),
    }),
    regionRoute({
      method: 'PATCH',
      path: one,
      tag,
      summary: 'Change a PostgreSQL cluster',
      description:
        'What is left out or null stays as it is. Databases and users that are named are added or changed; those that are not named stay.',
      access: 'write',
      params: ClusterParams,
      body: UpdateCluster,
      rules: checkGivenChange,
      response: TaskIds,
      handler: (ctx, { params, body }) => clusters.updateCluster(service, ctx, params.cluster_name, body),
    }),
    regionRoute({
      method: 'DELETE',
      path: one,
      tag,
      summary: 'Delete a PostgreSQL cluster with all its data',
      access: 'write',
      params: ClusterParams,
      response: TaskIds,
      handler: (ctx, { params }) => clusters.deleteCluster(service, ctx, params.cluster_name),
    }),
  ];
}

function readRoutes(): readonly Route[] {
  return [
    regionRoute({
      method: 'GET',
      path: all,
      tag,
      summary: 'List PostgreSQL clusters',
      access: 'read',
      params: RegionParams,
      query: ListClusters,
      response: ClusterList,
      handler: (ctx, { query }) => reads.listClusters(ctx, query),
    }),
    regionRoute({
      method: 'GET',
      path: one,
      tag,
      summary: 'Get a PostgreSQL cluster',
      access: 'read',
      params: ClusterParams,
      response: Cluster,
      handler: (ctx, { params }) => reads.readCluster(ctx, params.cluster_name),
    }),
    regionRoute({
      method: 'GET',
      path: `${one}/ca_certificate`,
      tag,
      operationId: 'getPostgresCaCertificate',
      summary: 'Get the certificate by which clients know the servers of a PostgreSQL cluster',
      access: 'read',
      params: ClusterParams,
      response: Authority,
      handler: (ctx, { params }) => reads.readAuthority(ctx, params.cluster_name),
    }),
    regionRoute({
      method: 'GET',
      path: `${one}/metrics`,
      tag,
      operationId: 'getPostgresClusterMetrics',
      summary: 'Get what was last measured of a PostgreSQL cluster',
      access: 'read',
      params: ClusterParams,
      response: MetricsView,
      handler: (ctx, { params }) => reads.readMetrics(ctx, params.cluster_name),
    }),
    regionRoute({
      method: 'GET',
      path: '/virga/v1/postgresql_clusters/{project_id}/{region_id}/{cluster_name}/servers',
      tag,
      summary:
        'See which server of a PostgreSQL cluster is the primary, and whether its replica can take over',
      access: 'read',
      params: ClusterParams,
      response: Servers,
      handler: (ctx, { params }) => reads.readServers(ctx, params.cluster_name),
    }),
  ];
}

function credentialRoutes(service: PostgresqlService): readonly Route[] {
  const path = `${one}/users/{username}/credentials`;
  return [
    regionRoute({
      method: 'GET',
      path,
      tag,
      operationId: 'getPostgresCredentials',
      summary: 'Show the password of a user, once',
      access: 'write',
      sensitive: true,
      params: UserParams,
      response: Credentials,
      handler: (ctx, { params }) =>
        showCredentials(service, ctx, { cluster: params.cluster_name, user: params.username }),
    }),
    regionRoute({
      method: 'POST',
      path,
      tag,
      operationId: 'renewPostgresCredentials',
      summary: 'Give a user a new password, and show it',
      access: 'write',
      sensitive: true,
      params: UserParams,
      response: Credentials,
      handler: (ctx, { params }) =>
        regenerateCredentials(service, ctx, { cluster: params.cluster_name, user: params.username }),
    }),
  ];
}

function settingRoutes(service: PostgresqlService): readonly Route[] {
  return [
    regionRoute({
      method: 'GET',
      path: `${base}/configuration/{project_id}/{region_id}`,
      tag,
      summary: 'List the versions, flavors and storage classes of PostgreSQL clusters',
      access: 'read',
      params: RegionParams,
      response: Configuration,
      handler: (ctx) => reads.readConfiguration(service, ctx),
    }),
    regionRoute({
      method: 'POST',
      path: `${base}/validate_pg_conf/{project_id}/{region_id}`,
      tag,
      operationId: 'validatePostgresConfiguration',
      summary: 'Check the lines of a postgresql.conf',
      access: 'read',
      params: RegionParams,
      body: ConfToCheck,
      response: CheckedConf,
      handler: (ctx, { body }) => clusters.checkConf(service, ctx, body),
    }),
    regionRoute({
      method: 'POST',
      path: `${base}/check_limit/{project_id}/{region_id}`,
      tag,
      operationId: 'checkLimitsForPostgresCluster',
      summary: 'Check whether quotas suffice for a PostgreSQL cluster',
      access: 'read',
      params: RegionParams,
      body: CreateCluster,
      rules: checkGiven,
      response: ExceededLimits,
      handler: (ctx) => clusters.checkLimits(service, ctx),
    }),
  ];
}
