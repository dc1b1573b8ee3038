import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, client, faultOf, queryClient } from '../../api/client.ts';
import { pathParams, usePlace } from '../../app/place.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { CodePanel } from '../../ui/code-panel.tsx';
import { FaultNote } from '../../ui/fault.tsx';
import { startTask } from '../../ui/follow-task.tsx';
import { Facts, PageHead } from '../../ui/page.tsx';

/** Whether managed PostgreSQL is set up for a project in a region. */
export function DatabaseStatus() {
  const place = usePlace();
  const path = pathParams(place);
  const status = useQuery(
    api.queryOptions('get', '/cloud/v1/dbaas/status/{project_id}/{region_id}', { params: { path } }),
  );
  const set = (is_initialized: boolean) =>
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
      { title: is_initialized ? 'Set up PostgreSQL' : 'Take PostgreSQL back' },
    );
  const ready = status.data?.is_initialized;
  return (
    <>
      <PageHead
        title={
          <>
            PostgreSQL{' '}
            {ready !== undefined && <StatusBadge status={ready ? 'Set up here' : 'Not set up here'} />}
          </>
        }
        about="Managed databases of this project in this region."
      >
        {ready === false && <Button onClick={() => set(true)}>Set up PostgreSQL</Button>}
        {ready === true && (
          <Button variant="default" onClick={() => set(false)}>
            Take it back
          </Button>
        )}
      </PageHead>
      {status.error && !status.data ? (
        <FaultNote fault={faultOf(status.error)} retry={() => void status.refetch()} />
      ) : (
        <>
          <Facts
            facts={[
              {
                label: 'What it means',
                value: ready
                  ? 'Databases can be created here.'
                  : 'Set it up once before the first database is created here.',
              },
            ]}
          />
          <CodePanel
            call={{ method: 'GET', path: `/cloud/v1/dbaas/status/${place.project}/${place.region}` }}
          />
        </>
      )}
    </>
  );
}
