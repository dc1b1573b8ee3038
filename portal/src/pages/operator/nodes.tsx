import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { every, type Schemas } from '../../api/client.ts';
import { operatorApi } from '../../api/operator.ts';
import { apiWords } from '../../ui/api-words.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { type Column, ListPage } from '../../ui/list-page.tsx';
import { Card } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

type Node = Schemas['Node'];
type Region = Schemas['OwnedRegion'];
type NotServed = Schemas['NotServed'] & { readonly region: string };

const ROLES: Readonly<Record<Node['role'], string>> = {
  all: 'Answers and works',
  api: 'Answers',
  worker: 'Works',
};

const REGION_COLUMNS: readonly Column<Region>[] = [
  { label: 'Region', cell: ({ region_name }) => region_name },
  {
    label: 'Status',
    cell: ({ served, fault }) => (
      <StatusBadge status={!served ? 'Nobody works on it' : fault ? 'Cannot be served' : 'Served'} />
    ),
  },
  { label: 'Node', cell: ({ node }) => node ?? 'none yet' },
  { label: 'Down', cell: ({ not_served_count: count }) => (count === 0 ? 'nothing' : count) },
  { label: 'Why', cell: ({ fault }) => fault ?? '' },
  { label: 'Heard of', cell: ({ seen_at }) => <Time at={seen_at} /> },
];

const NOT_SERVED_COLUMNS: readonly Column<NotServed>[] = [
  { label: 'Region', cell: ({ region }) => region },
  { label: 'What', cell: ({ kind }) => apiWords(kind) },
  { label: 'Name', cell: ({ name }) => name },
  { label: 'Client', cell: ({ client_id }) => client_id },
  { label: 'Why', cell: ({ reason }) => reason },
];

/** `one:4711` is a process on the machine `one`; nodes of version 0.3.0 name the machine alone. */
const machineOf = (name: string) => name.replace(/:\d+$/, '');

/** Which nodes live, and who works on which region; moves without a task, so it looks often. */
export function Nodes() {
  const result = useQuery({ ...operatorApi.queryOptions('get', '/virga/v1/nodes'), ...every(2_000) });
  const { results = [], regions = [] } = result.data ?? {};
  const notServed = regions.flatMap(({ region_name: region, not_served }) =>
    not_served.map((each) => ({ ...each, region })),
  );
  const columns: readonly Column<Node>[] = [
    { label: 'Name', cell: ({ name }) => name },
    { label: 'Status', cell: ({ alive }) => <StatusBadge status={alive ? 'Alive' : 'Silent'} /> },
    { label: 'What it does', cell: ({ role }) => ROLES[role] },
    { label: 'Version', cell: ({ version }) => version },
    {
      label: 'Works on',
      cell: ({ name, role, alive }) =>
        (alive && role !== 'api'
          ? regions
              .filter(({ node, served }) => served && node === machineOf(name))
              .map((own) => own.region_name)
          : []
        ).join(', ') || 'no region of its own',
    },
    { label: 'Started', cell: ({ started_at }) => <Time at={started_at} />, wideOnly: true },
    { label: 'Heard of', cell: ({ seen_at }) => <Time at={seen_at} /> },
  ];
  return (
    <>
      <ListPage<Node>
        title="Nodes"
        about="The processes that share the database. One that falls silent is shown for an hour; its work is taken over by the others."
        result={result}
        columns={columns}
        empty={{ title: 'No nodes', about: 'A node that starts says so here.' }}
      >
        <Remarks nodes={results} />
      </ListPage>
      {regions.length > 0 && (
        <Card title="Regions that one node works on at a time">
          <Table
            title="Owners of regions"
            rows={regions}
            columns={REGION_COLUMNS}
            rowKey={({ region_id }) => String(region_id)}
          />
        </Card>
      )}
      {notServed.length > 0 && (
        <Card title="What these regions do not serve">
          <Table
            title="What is not served"
            rows={notServed}
            columns={NOT_SERVED_COLUMNS}
            rowKey={({ kind, id }) => `${kind} ${id}`}
          />
        </Card>
      )}
    </>
  );
}

/** What is not as it should be, in a sentence each. */
function Remarks({ nodes }: { readonly nodes: readonly Node[] }) {
  const alive = nodes.filter((node) => node.alive);
  const versions = [...new Set(alive.map(({ version }) => version))].sort();
  const remarks = [
    ...(alive.length > 0 && alive.every(({ role }) => role === 'api')
      ? ['Nobody works on tasks: start a node with the role worker.']
      : []),
    ...(versions.length > 1 ? [`Versions ${versions.join(' and ')} are at work beside each other.`] : []),
  ];
  if (remarks.length === 0) return null;
  return (
    <Alert color="yellow" variant="light" role="status">
      {remarks.join(' ')}
    </Alert>
  );
}
