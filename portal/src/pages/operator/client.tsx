import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { every, type Schemas } from '../../api/client.ts';
import { operatorApi, operatorCall } from '../../api/operator.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { CopyText } from '../../ui/copy.tsx';
import { useDelete } from '../../ui/delete-action.tsx';
import { Detail } from '../../ui/detail.tsx';
import { Card } from '../../ui/page.tsx';
import { useRouting } from '../../ui/routing.tsx';
import { Rows } from '../../ui/rows.tsx';
import type { Column } from '../../ui/table.tsx';
import { taskName } from '../../ui/task-name.ts';
import { Time } from '../../ui/time.tsx';
import { CLIENTS, type Client, useClientVerbs } from './client-verbs.tsx';
import { whyOf } from './clients.tsx';

type Resource = Schemas['ClientResource'];
type Person = Schemas['FullUser'];
type Token = Schemas['ApiToken'];
type Task = Schemas['Task'];

/** What is asked for at once. */
const MOST = 1000;

/** One client: what it has and does, who belongs to it, and with which tokens. */
export function ClientDetail() {
  const { id = '' } = useRouting().useParameters();
  const path = { client_id: Number(id) };
  const query = useQuery(operatorApi.queryOptions('get', `${CLIENTS}/{client_id}`, { params: { path } }));
  const { dialog, ...verbs } = useClientVerbs();
  return (
    <>
      <Detail<Client>
        kind="Client"
        back={{ to: '/operator/clients', label: 'Clients' }}
        query={query}
        badge={({ status }) => <StatusBadge status={status} />}
        facts={(client) => [
          { label: 'Id', value: client.id },
          { label: 'Where warnings go', value: client.email },
          { label: 'Created', value: <Time at={client.created_at} /> },
          ...(whyOf(client) ? [{ label: 'Why suspended', value: whyOf(client), wide: true }] : []),
        ]}
        tabs={() => [
          { key: 'resources', label: 'Resources', body: <Resources of={path} /> },
          { key: 'people', label: 'People', body: <People of={path} /> },
          { key: 'tokens', label: 'API tokens', body: <Tokens of={path} /> },
          { key: 'tasks', label: 'Tasks', body: <Tasks of={path} /> },
        ]}
        {...verbs}
      />
      {dialog}
    </>
  );
}

interface PartProps {
  readonly of: { readonly client_id: number };
}

/** A list, and how much of it is shown. Each look at it stands in the log of the client. */
function Part({ query, title, children }: { query: Counted; title: string; children: ReactNode }) {
  const { count = 0, results = [] } = query.data ?? {};
  const cut =
    count > results.length && ` · the newest ${results.length.toLocaleString()} of ${count.toLocaleString()}`;
  return <Card title={`${title}${cut || ''}`}>{children}</Card>;
}

interface Counted {
  readonly data: { readonly count: number; readonly results: readonly unknown[] } | undefined;
}

const words = (kind: string) => kind.replaceAll('_', ' ');
const RESOURCES: readonly Column<Resource>[] = [
  { label: 'Name', cell: ({ name, id }) => name || id },
  { label: 'Kind', cell: ({ kind }) => words(kind) },
  { label: 'Project', cell: ({ project_id }) => project_id ?? 'none', end: true },
  { label: 'Region', cell: ({ region_id }) => region_id ?? 'none', end: true },
  { label: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    label: 'Id',
    cell: ({ id }) => <CopyText value={id} shown={id.length > 12 ? `${id.slice(0, 8)}…` : id} />,
  },
];

function Resources({ of: path }: PartProps) {
  const query = useQuery(
    operatorApi.queryOptions('get', `${CLIENTS}/{client_id}/resources`, {
      params: { path, query: { limit: MOST } },
    }),
  );
  return (
    <Part title="Resources" query={query}>
      <Rows<Resource>
        title="Resources of the client"
        query={query}
        columns={RESOURCES}
        rowKey={({ kind, id }) => `${kind} ${id}`}
        empty={{ title: 'No resources', about: 'What the client creates stands here.' }}
      />
    </Part>
  );
}

const PEOPLE: readonly Column<Person>[] = [
  { label: 'Person', cell: ({ name, email }) => name || email },
  { label: 'Status', cell: ({ activated }) => <StatusBadge status={activated ? 'ACTIVE' : 'Invited'} /> },
  { label: 'Email address', cell: ({ email }) => email },
  { label: 'Role', cell: ({ groups }) => groups.map(({ name }) => name).join(', ') },
  { label: 'Second factor', cell: ({ two_fa }) => (two_fa ? 'yes' : 'no'), wideOnly: true },
];

function People({ of: path }: PartProps) {
  const query = useQuery(
    operatorApi.queryOptions('get', `${CLIENTS}/{client_id}/users`, {
      params: { path, query: { limit: MOST } },
    }),
  );
  const remove = useDelete<Person>({
    kind: 'person',
    nameOf: ({ email }) => email,
    askName: ({ activated }) => activated,
    consequences: ({ activated }) =>
      activated
        ? 'They are signed out of this client at once, and the tokens that they made stop working.'
        : 'Their invitation no longer works.',
    call: ({ id }) =>
      operatorCall('delete', `${CLIENTS}/{client_id}/users/{user_id}`, {
        params: { path: { ...path, user_id: id } },
      }),
    deleted: () => void query.refetch(),
  });
  return (
    <Part title="People" query={query}>
      <Rows<Person>
        title="People of the client"
        query={query}
        columns={PEOPLE}
        rowKey={({ id, email }) => `${id} ${email}`}
        actions={[remove.action]}
        empty={{ title: 'Nobody', about: 'Add a person with the menu of the client.' }}
      />
      {remove.dialog}
    </Part>
  );
}

const TOKENS: readonly Column<Token>[] = [
  { label: 'Name', cell: ({ name }) => name },
  { label: 'Role', cell: ({ client_user }) => client_user.role.name },
  { label: 'Made by', cell: ({ client_user }) => client_user.user_email || client_user.user_name },
  { label: 'Last used', cell: ({ last_usage }) => <Time at={last_usage || null} /> },
  {
    label: 'Expires',
    cell: ({ exp_date, expired }) =>
      expired ? 'expired' : exp_date === null ? 'never' : <Time at={exp_date} />,
  },
];

function Tokens({ of: path }: PartProps) {
  const query = useQuery({
    ...operatorApi.queryOptions('get', `${CLIENTS}/{client_id}/tokens`, {
      params: { path, query: { deleted: false } },
    }),
    select: (tokens: readonly Token[]) => ({ count: tokens.length, results: tokens }),
  });
  const remove = useDelete<Token>({
    kind: 'token',
    askName: ({ last_usage }) => Boolean(last_usage),
    consequences: ({ last_usage }) =>
      last_usage ? 'Programs that use it are refused from now on.' : 'It was never used.',
    call: ({ id }) =>
      operatorCall('delete', `${CLIENTS}/{client_id}/tokens/{token_id}`, {
        params: { path: { ...path, token_id: id } },
      }),
    deleted: () => void query.refetch(),
  });
  return (
    <Part title="API tokens" query={query}>
      <Rows<Token>
        title="API tokens of the client"
        query={query}
        columns={TOKENS}
        rowKey={({ id }) => String(id)}
        actions={[remove.action]}
        empty={{ title: 'No tokens', about: 'Its people make them.' }}
      />
      {remove.dialog}
    </Part>
  );
}

const TASKS: readonly Column<Task>[] = [
  { label: 'Task', cell: (task) => taskName(task) },
  {
    label: 'State',
    cell: ({ state, error, step }) => <StatusBadge status={state} detail={error ?? step ?? undefined} />,
  },
  { label: 'Step', cell: ({ error, step }) => error ?? step ?? '' },
  { label: 'Region', cell: ({ region_id }) => region_id ?? 'none', end: true },
  { label: 'Started', cell: ({ created_on }) => <Time at={created_on} /> },
];

function Tasks({ of: path }: PartProps) {
  const query = useQuery({
    ...operatorApi.queryOptions('get', `${CLIENTS}/{client_id}/tasks`, {
      params: { path, query: { limit: MOST } },
    }),
    ...every(10_000),
  });
  return (
    <Part title="Tasks" query={query}>
      <Rows<Task>
        title="Tasks of the client"
        query={query}
        columns={TASKS}
        rowKey={({ id }) => id}
        empty={{ title: 'No tasks', about: 'Each change of the client is one.' }}
      />
    </Part>
  );
}
