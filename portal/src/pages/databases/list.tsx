import { useQuery } from '@tanstack/react-query';
import { api, apiCall, faultOf, type Schemas } from '../../api/client.ts';
import { pathIn, pathParams, type Scope } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import type { DeleteOptions } from '../../ui/delete-action.tsx';
import { FaultNote } from '../../ui/fault.tsx';
import { textFilter } from '../../ui/filters.tsx';
import { startTask } from '../../ui/follow-task.tsx';
import { type Column, useListOfScope } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { Card, Empty, PageHead } from '../../ui/page.tsx';
import { useNewForm } from '../../ui/side-form.tsx';
import { Time } from '../../ui/time.tsx';
import { VerbButton } from '../../ui/verb-button.tsx';
import { createForm } from './create.ts';
import { clusterPath, useOffer } from './queries.ts';

const CLUSTERS = '/cloud/v1/dbaas/postgres/clusters/{project_id}/{region_id}';
const STATUS = '/cloud/v1/dbaas/status/{project_id}/{region_id}';

type Short = Schemas['PostgresqlClusterShort'];

const ABOUT =
  'PostgreSQL servers that are run for you: watched, brought back, and grown without a new address.';

const COLUMNS: readonly Column<Short>[] = [
  { label: 'Name', cell: ({ cluster_name: name }) => name },
  { label: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { label: 'Version', cell: ({ version }) => version },
  { label: 'Created', cell: ({ created_at: created }) => <Time at={created} /> },
];

/** The question before a cluster is deleted. */
export const removal = (scope: Scope): DeleteOptions<{ cluster_name: string; status: string }> => ({
  kind: 'cluster',
  consequences: () => 'Its databases, users and backups go with it, and nothing brings them back.',
  askName: () => true,
  disabled: ({ status }) =>
    ['PREPARING', 'UPDATING', 'DELETING'].includes(status)
      ? `It is ${status}; wait until its task has ended`
      : undefined,
  call: ({ cluster_name: name }) =>
    apiCall('delete', `${CLUSTERS}/{cluster_name}`, { params: { path: clusterPath(scope, name) } }),
});

/** The clusters of a project in a region, once managed PostgreSQL is set up there. */
export function Databases() {
  const path = pathParams(useScope());
  const status = useQuery(api.queryOptions('get', STATUS, { params: { path } }));
  if (status.data?.is_initialized) return <Clusters />;
  return (
    <>
      <PageHead title="PostgreSQL" about={ABOUT} />
      {status.error && !status.data ? (
        <FaultNote fault={faultOf(status.error)} retry={() => void status.refetch()} />
      ) : (
        status.data && <NotSetUp />
      )}
    </>
  );
}

/** Sets managed PostgreSQL up in a project and region, or undoes that. */
const setUp = (scope: Scope, is_initialized: boolean) =>
  apiCall('put', STATUS, { params: { path: pathParams(scope) }, body: { is_initialized } });

function NotSetUp() {
  const scope = useScope();
  return (
    <Card>
      <Empty
        title="Not set up here"
        about="Set it up once for this project in this region. It costs nothing until the first cluster."
        action={{
          label: 'Set up PostgreSQL',
          run: () => void startTask(setUp(scope, true), { title: 'Set up PostgreSQL' }),
          call: setUp(scope, true),
        }}
        code={`curl -X PUT ${location.origin}/cloud/v1/dbaas/status/${scope.project}/${scope.region} -H "Authorization: APIKey $API_TOKEN" -H 'Content-Type: application/json' -d '{"is_initialized": true}'`}
      />
    </Card>
  );
}

function Clusters() {
  const { scope, params } = useListOfScope(({ name }) => ({ name }));
  const form = useNewForm();
  const offer = useOffer(form.opened);
  const result = useQuery(api.queryOptions('get', CLUSTERS, { params }));
  return (
    <NounPage<Short, Schemas['CreatePostgresqlCluster']>
      title="PostgreSQL"
      about={ABOUT}
      filters={[textFilter('name', 'Name')]}
      result={result}
      columns={COLUMNS}
      href={({ cluster_name: name }) => pathIn(scope, 'databases', name)}
      remove={removal(scope)}
      head={
        result.data?.count === 0 && (
          <VerbButton
            variant="default"
            call={setUp(scope, false)}
            onClick={() => void startTask(setUp(scope, false), { title: 'Undo the set-up of PostgreSQL' })}
          >
            Undo the set-up
          </VerbButton>
        )
      }
      empty={{
        title: 'No clusters here',
        about: 'Create one, copy its connection string, and connect with psql.',
        code: 'psql "postgresql://app@HOST:5432/shop?sslmode=require"',
      }}
      form={createForm(scope, offer)}
    />
  );
}
