import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/client.ts';
import { operatorApi, operatorCall } from '../../api/operator.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { numberField, optionField, textField } from '../../ui/fields.ts';
import { type Column, useListSearch } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { optionsOf } from '../../ui/options.ts';
import { useRowForm } from '../../ui/row-form.tsx';
import { given, text } from '../../ui/side-form.tsx';
import { Time } from '../../ui/time.tsx';
import { number, texts } from '../../ui/values.ts';
import { ROLES } from '../account/roles.ts';

const CLIENTS = '/virga/v1/clients';

type Client = Schemas['OperatorClient'];

const COLUMNS: readonly Column<Client>[] = [
  { label: 'Name', cell: ({ name }) => name },
  { label: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { label: 'Id', cell: ({ id }) => id, end: true },
  { label: 'Where warnings go', cell: ({ email }) => email },
  { label: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
];

/** Whom this cloud serves. */
export function Clients() {
  const { page } = useListSearch();
  const result = useQuery(operatorApi.queryOptions('get', CLIENTS, { params: { query: page } }));
  const user = useRowForm<Client, Schemas['AddUser']>({
    label: 'Add person…',
    form: (client) => ({
      title: `Add a person to ${client.name}`,
      fields: [
        textField('email', 'Email address'),
        optionField('role', 'Role', ROLES, { initial: '2', fault: 'user_role' }),
        {
          key: 'password',
          label: 'Password',
          about: 'Empty: they are invited by mail',
          kind: 'password',
        },
      ],
      body: (values) => ({
        email: text(values, 'email'),
        user_role: { id: Number(values.role) },
        ...given({ password: text(values, 'password') }),
      }),
      request: (body) =>
        operatorCall('post', `${CLIENTS}/{client_id}/users`, {
          params: { path: { client_id: client.id } },
          body,
        }),
      shown: (body) => ('password' in body ? { ...body, password: '…' } : body),
    }),
  });
  const quota = useRowForm<Client, Schemas['Limits']>({
    label: 'Set quota…',
    form: (client) => ({
      title: `Set a quota of ${client.name}`,
      fields: [
        numberField('region', 'Region', { about: 'Its id', min: 1, initial: 1 }),
        optionField(
          'name',
          'Quota',
          optionsOf({
            loadbalancer_count_limit: 'Load balancers',
            vm_count_limit: 'Instances',
            cpu_count_limit: 'CPUs',
            ram_limit: 'Memory in MiB',
            volume_size_limit: 'Volumes in GiB',
            floating_count_limit: 'Floating IPs',
            cluster_count_limit: 'Kubernetes clusters',
          }),
          { initial: 'loadbalancer_count_limit' },
        ),
        numberField('limit', 'Limit', { min: 0, initial: 100, fault: 'regional_limits' }),
      ],
      body: (values) => ({
        regional_limits: [
          { region_id: number(values, 'region') ?? 0, [text(values, 'name')]: number(values, 'limit') ?? 0 },
        ],
      }),
      request: (body) =>
        operatorCall('patch', `${CLIENTS}/{client_id}/quotas`, {
          params: { path: { client_id: client.id } },
          body,
        }),
    }),
  });
  return (
    <NounPage<Client, Schemas['CreateOperatorClient']>
      title="Clients"
      about="The accounts that this cloud serves. Each starts with a default project."
      result={result}
      columns={COLUMNS}
      verbs={[user, quota]}
      empty={{ title: 'No clients', about: 'Create the first one.' }}
      form={{
        title: 'Create client',
        fields: [textField('name', 'Name'), textField('email', 'Where warnings go')],
        body: (values) => texts(values, 'name', 'email'),
        request: (body) => operatorCall('post', CLIENTS, { body }),
      }}
    />
  );
}
