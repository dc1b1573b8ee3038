import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/client.ts';
import { operatorApi, operatorCall } from '../../api/operator.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { textField } from '../../ui/fields.ts';
import { choiceFilter, textFilter } from '../../ui/filters.tsx';
import { type Column, useListSearch } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { optionsOf } from '../../ui/options.ts';
import { Time } from '../../ui/time.tsx';
import { given, texts } from '../../ui/values.ts';
import { CLIENTS, type Client, useClientVerbs } from './client-verbs.tsx';

export const whyOf = ({ suspend_reason: why, data_planes, task_id }: Client) => {
  if (task_id !== null) return `It is being deleted by task ${task_id}`;
  return why === null ? '' : `${why} (data planes ${data_planes})`;
};

const COLUMNS: readonly Column<Client>[] = [
  { label: 'Name', cell: ({ name }) => name },
  { label: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { label: 'Id', cell: ({ id }) => id, end: true },
  { label: 'Where warnings go', cell: ({ email }) => email },
  { label: 'Why suspended', cell: whyOf },
  { label: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
];

/** Whom this cloud serves. */
export function Clients() {
  const { page, search } = useListSearch();
  const filters = given({ name: search.name, status: search.status as 'paused' });
  const result = useQuery(
    operatorApi.queryOptions('get', CLIENTS, { params: { query: { ...page, ...filters } } }),
  );
  const { dialog, ...verbs } = useClientVerbs();
  return (
    <>
      <NounPage<Client, Schemas['CreateOperatorClient']>
        title="Clients"
        about="The accounts that this cloud serves. Each starts with a default project."
        filters={[
          textFilter('name', 'Name'),
          choiceFilter('status', 'Status', optionsOf({ active: 'Active', paused: 'Suspended' })),
        ]}
        result={result}
        columns={COLUMNS}
        href={({ id }) => `/operator/clients/${id}`}
        {...verbs}
        empty={{ title: 'No clients', about: 'Create the first one.' }}
        form={{
          title: 'Create client',
          fields: [textField('name', 'Name'), textField('email', 'Where warnings go')],
          body: (values) => texts(values, 'name', 'email'),
          request: (body) => operatorCall('post', CLIENTS, { body }),
        }}
      />
      {dialog}
    </>
  );
}
