import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, client, faultOf, queryClient, type Schemas } from '../../api/client.ts';
import { type Place, pathIn, pathParams, usePlace } from '../../app/place.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import type { DeleteOptions } from '../../ui/delete-action.tsx';
import { FaultNote } from '../../ui/fault.tsx';
import { startTask } from '../../ui/follow-task.tsx';
import { type Column, useListSearch } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { Card, Empty, PageHead } from '../../ui/page.tsx';
import { useNewForm } from '../../ui/side-form.tsx';
import { Time } from '../../ui/time.tsx';
import { createForm } from './create.ts';
import { clusterPath, useOffer } from './queries.ts';

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
export const removal = (
  place: Place,
  deleted: () => void = () => undefined,
): DeleteOptions<{ cluster_name: string; status: string }> => ({
  kind: 'cluster',
  nameOf: ({ cluster_name: name }) => name,
  consequences: () => 'Its databases, users and backups go with it, and nothing brings them back.',
  askName: () => true,
  disabled: ({ status }) =>
    ['PREPARING', 'UPDATING', 'DELETING'].includes(status)
      ? `It is ${status}; wait until its task has ended`
      : undefined,
  call: ({ cluster_name: name }) =>
    client.DELETE('/cloud/v1/dbaas/postgres/clusters/{project_id}/{region_id}/{cluster_name}', {
      params: { path: clusterPath(place, name) },
    }),
  deleted,
});

/** The clusters of a project in a region, once managed PostgreSQL is set up there. */
export function Databases() {
  const path = pathParams(usePlace());
  const status = useQuery(
    api.queryOptions('get', '/cloud/v1/dbaas/status/{project_id}/{region_id}', { params: { path } }),
  );
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

function useSetUp(): (is_initialized: boolean) => void {
  const path = pathParams(usePlace());
  return (is_initialized) =>
    void startTask(
      client
        .PUT('/cloud/v1/dbaas/status/{project_id}/{region_id}', {
          params: { path },
          body: { is_initialized },
        })
        .then((answer) => {
          void queryClient.invalidateQueries();
          return answer as never;
        }),
      { title: is_initialized ? 'Set up PostgreSQL' : 'Undo the set-up of PostgreSQL' },
    );
}

function NotSetUp() {
  const place = usePlace();
  const setUp = useSetUp();
  return (
    <Card>
      <Empty
        title="Not set up here"
        about="Set it up once for this project in this region. It costs nothing until the first cluster."
        action={{ label: 'Set up PostgreSQL', run: () => setUp(true) }}
        code={`curl -X PUT ${location.origin}/cloud/v1/dbaas/status/${place.project}/${place.region} -H "Authorization: APIKey $API_TOKEN" -H 'Content-Type: application/json' -d '{"is_initialized": true}'`}
      />
    </Card>
  );
}

function Clusters() {
  const place = usePlace();
  const { page, search } = useListSearch();
  const form = useNewForm();
  const offer = useOffer(form.opened);
  const setUp = useSetUp();
  const result = useQuery(
    api.queryOptions('get', '/cloud/v1/dbaas/postgres/clusters/{project_id}/{region_id}', {
      params: { path: pathParams(place), query: { ...page, ...(search.name ? { name: search.name } : {}) } },
    }),
  );
  return (
    <NounPage<Short, Schemas['CreatePostgresqlCluster']>
      title="PostgreSQL"
      about={ABOUT}
      filters={[{ kind: 'text', key: 'name', label: 'Name' }]}
      result={result}
      columns={COLUMNS}
      idOf={({ cluster_name: name }) => name}
      href={({ cluster_name: name }) => pathIn(place, 'databases', name)}
      remove={removal(place) as DeleteOptions<Short>}
      head={
        result.data?.count === 0 && (
          <Button variant="default" onClick={() => setUp(false)}>
            Undo the set-up
          </Button>
        )
      }
      empty={{
        title: 'No clusters here',
        about: 'Create one, copy its connection string, and connect with psql.',
        code: 'psql "postgresql://app@HOST:5432/shop?sslmode=require"',
      }}
      form={createForm(place, offer)}
    />
  );
}
