import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { every, type Schemas } from '../../api/client.ts';
import { operatorApi, operatorCall, useOperatorToken } from '../../api/operator.ts';
import { pathIn } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { bytes } from '../../ui/bytes.ts';
import { useDelete } from '../../ui/delete-action.tsx';
import { unreadNote } from '../../ui/fault.tsx';
import { numberField, textField } from '../../ui/fields.ts';
import { Card, Empty, Facts } from '../../ui/page.tsx';
import { useRowForm } from '../../ui/row-form.tsx';
import { text } from '../../ui/side-form.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { number } from '../../ui/values.ts';
import { VerbButton } from '../../ui/verb-button.tsx';
import { OperatorToken } from '../operator/gate.tsx';
import { type Cluster, clusterPath } from './queries.ts';

type Known = Schemas['PostgresqlBackups'];
type Backup = Known['backups'][number];

const BACKUPS = '/virga/v1/postgresql_clusters/{project_id}/{region_id}/{cluster_name}/backups';

const COLUMNS: readonly Column<Backup>[] = [
  { label: 'Made', cell: ({ taken_at: at }) => <Time at={at} /> },
  { label: 'At', cell: ({ taken_at: at }) => new Date(at).toLocaleString() },
  { label: 'Size', cell: ({ size_bytes: size }) => bytes(size), end: true },
];

/** Backups of a cluster, which those who run the cloud order with their own token. */
export function Backups({ cluster }: { readonly cluster: Cluster }) {
  const token = useOperatorToken();
  if (token !== undefined) return <Known cluster={cluster} />;
  return (
    <>
      <Card title="Backups">
        <p style={{ margin: 0, padding: '12px 16px 14px' }}>
          Only operators schedule backups: ask yours, or enter the operator token.
        </p>
      </Card>
      <OperatorToken />
    </>
  );
}

function Known({ cluster }: { readonly cluster: Cluster }) {
  const scope = useScope();
  const path = clusterPath(scope, cluster.cluster_name);
  const query = useQuery({
    ...operatorApi.queryOptions('get', BACKUPS, { params: { path } }),
    ...every(2_000),
  });
  const schedule = useSchedule(cluster, () => void query.refetch());
  const restore = useRestore(cluster);
  const end = useDelete<{ readonly name: string }>({
    kind: 'all backups of',
    consequences: () => 'All backups are deleted, and no earlier moment can be restored.',
    askName: () => true,
    call: () => operatorCall('delete', BACKUPS, { params: { path } }),
    deleted: () => void query.refetch(),
  });
  const unread = unreadNote(query);
  if (unread) return unread;
  if (!query.data) return <Skeleton height={200} />;
  const { data } = query;
  const small = { size: 'xs', variant: 'default' } as const;
  return (
    <>
      {data.schedule && <ScheduleFacts known={data} />}
      <Card
        title="Backups"
        aside={
          <span style={{ display: 'flex', flexWrap: 'wrap', gap: 8 }}>
            <Button {...small} onClick={() => schedule.action.run(data)}>
              {data.schedule ? 'Change schedule' : 'Start backups'}
            </Button>
            <VerbButton
              {...small}
              why={data.restorable_from ? undefined : 'There is no backup yet'}
              onClick={() => restore.action.run(data)}
            >
              Restore
            </VerbButton>
            {data.schedule && (
              <Button {...small} onClick={() => end.action.run({ name: cluster.cluster_name })}>
                End backups
              </Button>
            )}
          </span>
        }
      >
        {data.backups.length === 0 ? (
          <Empty
            title={data.schedule ? 'The first backup is running' : 'No backups'}
            about="With backups, any moment since the oldest one can be restored into a new cluster."
          />
        ) : (
          <Table
            title="Backups"
            rows={[...data.backups].reverse()}
            columns={COLUMNS}
            rowKey={({ taken_at: at }) => at}
          />
        )}
      </Card>
      {schedule.dialog}
      {restore.dialog}
      {end.dialog}
    </>
  );
}

function ScheduleFacts({ known: { schedule, restorable_from: from } }: { readonly known: Known }) {
  return (
    <Facts
      facts={[
        { label: 'Backup every', value: `${schedule?.every_hours} h` },
        { label: 'Kept', value: `the last ${schedule?.keep}` },
        { label: 'Earliest restore point', value: from ? new Date(from).toLocaleString() : 'not yet' },
      ]}
    />
  );
}

function useSchedule(cluster: Cluster, done: () => void) {
  const scope = useScope();
  return useRowForm<Known, Schemas['PostgresqlBackupSchedule']>({
    label: 'Schedule…',
    form: ({ schedule }) => ({
      title: schedule ? 'Change schedule' : 'Start backups',
      verb: schedule ? 'Change schedule' : 'Start backups',
      fields: [
        numberField('every_hours', 'Interval in hours', {
          about: 'The first one is made at once',
          min: 1,
          max: 168,
          initial: schedule?.every_hours ?? 24,
        }),
        numberField('keep', 'Backups to keep', { min: 1, max: 30, initial: schedule?.keep ?? 7 }),
      ],
      body: (values) => ({
        every_hours: number(values, 'every_hours') ?? 24,
        keep: number(values, 'keep') ?? 7,
      }),
      request: (body) =>
        operatorCall('put', BACKUPS, { params: { path: clusterPath(scope, cluster.cluster_name) }, body }),
      done,
    }),
  });
}

function useRestore(cluster: Cluster) {
  const scope = useScope();
  return useRowForm<Known, Schemas['RestorePostgresqlCluster']>({
    label: 'Restore…',
    form: ({ restorable_from: from }) => ({
      title: 'Restore into a new cluster',
      fields: [
        textField('cluster_name', 'Name of the new cluster', {
          about: 'It has an address and passwords of its own; this one goes on.',
          initial: `${cluster.cluster_name}-restored`,
        }),
        {
          key: 'until',
          label: 'Point in time',
          about: `Empty: as it is now. The earliest is ${from ? new Date(from).toLocaleString() : 'not known yet'}.`,
          kind: 'moment',
        },
      ],
      body: (values) => {
        const until = text(values, 'until');
        return {
          cluster_name: text(values, 'cluster_name'),
          until: until ? new Date(until).toISOString() : null,
        };
      },
      request: (body) =>
        operatorCall(
          'post',
          '/virga/v1/postgresql_clusters/{project_id}/{region_id}/{cluster_name}/restore',
          {
            params: { path: clusterPath(scope, cluster.cluster_name) },
            body,
          },
        ),
      to: () => pathIn(scope, 'databases', `${cluster.cluster_name}-restored`),
    }),
  });
}
