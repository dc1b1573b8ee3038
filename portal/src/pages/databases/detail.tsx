import { Alert, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import { api, apiCall, faultOf, type Schemas, whileBusy } from '../../api/client.ts';
import { pathIn, pathParams, type Scope } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { Servers } from '../../pictures/servers.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { CodePanel } from '../../ui/code-panel.tsx';
import { CopyText } from '../../ui/copy.tsx';
import { Detail } from '../../ui/detail.tsx';
import { FaultNote } from '../../ui/fault.tsx';
import { NotServed } from '../../ui/not-served.tsx';
import { Card } from '../../ui/page.tsx';
import { Several } from '../../ui/several.tsx';
import { Time } from '../../ui/time.tsx';
import { DatabasesAndUsers } from './access.tsx';
import { ConnectNow } from './connect-now.tsx';
import { removal } from './list.tsx';
import { type Cluster, clusterPath, flavorWords } from './queries.ts';
import { useClusterVerbs } from './verbs.ts';

const Settings = lazy(() => import('./settings.tsx').then((module) => ({ default: module.Settings })));
const Metrics = lazy(() => import('./metrics.tsx').then((module) => ({ default: module.Metrics })));
const Backups = lazy(() => import('./backups.tsx').then((module) => ({ default: module.Backups })));
const late = (page: ReactNode) => <Suspense>{page}</Suspense>;

/** One cluster, live: how to connect, which server does what, and everything that can be changed of it. */
export function DatabaseDetail() {
  const scope = useScope();
  const { name } = useParams({ strict: false }) as { name: string };
  const verbs = useClusterVerbs(scope);
  const cluster = useQuery({
    ...api.queryOptions('get', '/cloud/v1/dbaas/postgres/clusters/{project_id}/{region_id}/{cluster_name}', {
      params: { path: clusterPath(scope, name) },
    }),
    ...whileBusy<Cluster>(({ status }) => status !== 'READY'),
  });
  const servers = useServers(scope, name);
  // Both at once: what came later would move what stands below it.
  const data = servers.isPending ? undefined : cluster.data;
  return (
    <Detail<Cluster>
      kind="Cluster"
      back={{ to: pathIn(scope, 'databases'), label: 'PostgreSQL' }}
      query={{ ...cluster, data }}
      badge={({ status, network }) => (
        <StatusBadge
          status={status === 'READY' && network.acl.length === 0 ? 'Nobody may connect' : status}
        />
      )}
      verbs={verbs}
      remove={removal(scope)}
      facts={factsOf}
      tabs={(one) => [
        { key: 'access', label: 'Databases and users', body: <DatabasesAndUsers cluster={one} /> },
        { key: 'settings', label: 'Settings', body: late(<Settings cluster={one} />) },
        { key: 'metrics', label: 'Metrics', body: late(<Metrics cluster={one} />) },
        { key: 'backups', label: 'Backups', body: late(<Backups cluster={one} />) },
        { key: 'connect', label: 'Connect', body: <Connect cluster={one} /> },
      ]}
    >
      {(one) => (
        <>
          <NotServed kind="postgresql_cluster" name={one.cluster_name} region={scope.region} />
          <ConnectNow cluster={one} />
          {one.network.acl.length === 0 && <NobodyMayConnect />}
          <ServersCard cluster={one} servers={servers} />
        </>
      )}
    </Detail>
  );
}

function NobodyMayConnect() {
  return (
    <Alert variant="light" color="yellow" title="Nobody may connect yet" mb="md">
      Its access list is empty. Open Actions, then Who may connect…, and add the address of your program.
    </Alert>
  );
}

const factsOf = ({ network, flavor, storage, pg_server_configuration: conf, ...cluster }: Cluster) => [
  {
    label: 'Connection string',
    wide: true,
    value: network.connection_string ? (
      <CopyText value={network.connection_string} label="Copy connection string" />
    ) : (
      'none yet'
    ),
  },
  { label: 'Version', value: `PostgreSQL ${conf.version}` },
  { label: 'Size', value: flavorWords(flavor) },
  { label: 'Storage', value: `${storage.size_gib} GiB, ${storage.type}` },
  { label: 'Pooler', value: conf.pooler ? `${conf.pooler.mode}, at port 6432` : 'none' },
  { label: 'Who may connect', value: <Several values={network.acl} none="nobody" /> },
  { label: 'Created', value: <Time at={cluster.created_at} /> },
];

/** Which server does what. The stream says when that changes; while something goes on, it is looked for. */
const useServers = (scope: Scope, name: string) =>
  useQuery({
    ...api.queryOptions(
      'get',
      '/virga/v1/postgresql_clusters/{project_id}/{region_id}/{cluster_name}/servers',
      {
        params: { path: clusterPath(scope, name) },
      },
    ),
    ...whileBusy<Schemas['PostgresqlServers']>(({ phase }) => phase !== 'serving'),
  });

interface ServersCardProps {
  readonly cluster: Cluster;
  readonly servers: ReturnType<typeof useServers>;
}

function ServersCard({ cluster, servers: { data, error, refetch } }: ServersCardProps) {
  // Of a cluster that is gone the page says so itself.
  if (error && !data && !faultOf(error).missing)
    return (
      <Card title="Servers">
        <FaultNote fault={faultOf(error)} retry={() => void refetch()} />
      </Card>
    );
  if (!data || data.servers.length === 0) return null;
  const mode = cluster.high_availability?.replication_mode;
  return (
    <Card
      title="Servers"
      aside={
        <span style={{ display: 'flex', gap: 12, alignItems: 'center' }}>
          {data.took_over_at && (
            <span>
              Failed over <Time at={data.took_over_at} />
            </span>
          )}
          <StatusBadge status={data.phase} />
        </span>
      }
    >
      <Servers servers={data.servers} replication={mode} />
      {(data.missing || !mode) && (
        <p style={{ margin: 0, padding: '0 16px 14px', color: 'var(--ink-soft)' }}>
          {data.missing ??
            'Without a replica, the server is started again where it was when it dies. Add one under Actions.'}
        </p>
      )}
    </Card>
  );
}

function Connect({ cluster }: { readonly cluster: Cluster }) {
  const scope = useScope();
  const path = clusterPath(scope, cluster.cluster_name);
  const authority = useQuery(
    api.queryOptions(
      'get',
      '/cloud/v1/dbaas/postgres/clusters/{project_id}/{region_id}/{cluster_name}/ca_certificate',
      { params: { path } },
    ),
  );
  const url = cluster.network.connection_string.replace('sslmode=require', 'sslmode=verify-full');
  const pem = authority.data?.ca_certificate;
  return (
    <>
      <Card title="With psql">
        <div style={{ display: 'grid', gap: 8, padding: '12px 16px 14px' }}>
          <CopyText value={`psql "${url}&sslrootcert=${cluster.cluster_name}-ca.pem"`} label="Copy command" />
          <span>Clients know the server by its certificate:</span>
          {authority.error && pem === undefined ? (
            <FaultNote fault={faultOf(authority.error)} retry={() => void authority.refetch()} />
          ) : (
            <Button
              component="a"
              variant="default"
              size="xs"
              style={{ justifySelf: 'start' }}
              loading={pem === undefined}
              href={`data:application/x-pem-file,${encodeURIComponent(pem ?? '')}`}
              download={`${cluster.cluster_name}-ca.pem`}
            >
              Download certificate
            </Button>
          )}
        </div>
      </Card>
      <CodePanel
        call={apiCall('get', '/cloud/v1/dbaas/postgres/clusters/{project_id}/{region_id}/{cluster_name}', {
          params: { path: { ...pathParams(scope), cluster_name: cluster.cluster_name } },
        })}
      />
    </>
  );
}
