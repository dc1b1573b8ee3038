import { useQuery } from '@tanstack/react-query';
import { api, type Schemas } from '../../api/client.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { type Column, ListPage, useListSearch } from '../../ui/list-page.tsx';
import { Time } from '../../ui/time.tsx';
import { browserOf } from './browser.ts';

type SignIn = Schemas['SignInList']['result'][number];

/** Who signed in to the account, or tried. */
export function Activity() {
  const { page } = useListSearch();
  const signIns = useQuery(api.queryOptions('get', '/iam/activity_log/logins', { params: { query: page } }));
  const people = useQuery(api.queryOptions('get', '/iam/users', { params: { query: { limit: 1000 } } }));
  const nameOf = (id: number) => people.data?.results.find((one) => one.id === id)?.email ?? `user ${id}`;
  const columns: readonly Column<SignIn>[] = [
    { label: 'Person', cell: ({ user }) => nameOf(user) },
    {
      label: 'Outcome',
      cell: ({ is_successful }) => <StatusBadge status={is_successful ? 'Signed in' : 'Refused'} />,
    },
    { label: 'From', cell: ({ ip_address }) => <code>{ip_address}</code> },
    {
      label: 'With',
      cell: ({ user_agent }) => <span title={user_agent ?? undefined}>{browserOf(user_agent ?? '')}</span>,
      wideOnly: true,
    },
    { label: 'When', cell: ({ login_at }) => <Time at={login_at} /> },
  ];
  return (
    <ListPage<SignIn>
      title="Sign-ins"
      about="Who signed in to this account with a password, or tried."
      result={{
        ...signIns,
        data: signIns.data && { count: signIns.data.count, results: signIns.data.result },
      }}
      columns={columns}
      empty={{ title: 'Nobody has signed in yet', about: 'Programs with API tokens are not listed here.' }}
    />
  );
}
