import { Button, Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, apiCall, queryClient, refresh, type Schemas } from '../../api/client.ts';
import { setSession } from '../../api/session.ts';
import { readSession } from '../../app/session.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { useDelete } from '../../ui/delete-action.tsx';
import { passwordField } from '../../ui/fields.ts';
import { type Column, ListPage } from '../../ui/list-page.tsx';
import { PASSWORD_RULE } from '../../ui/new-password.tsx';
import { rowCall } from '../../ui/row-call.ts';
import { useRowForm } from '../../ui/row-form.tsx';
import { Time } from '../../ui/time.tsx';
import { VerbButton } from '../../ui/verb-button.tsx';
import { browserOf } from './browser.ts';

const SESSIONS = '/virga/v1/sessions';

type Session = Schemas['Session'];

const COLUMNS: readonly Column<Session>[] = [
  { label: 'Where', cell: ({ user_agent }) => browserOf(user_agent) },
  { label: 'Which', cell: ({ is_current }) => (is_current ? <StatusBadge status="This one" /> : '') },
  { label: 'Address', cell: ({ ip_address }) => <code>{ip_address}</code> },
  { label: 'Signed in', cell: ({ created_at }) => <Time at={created_at} /> },
  { label: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
];

interface NewPassword {
  readonly old: string;
  readonly new: string;
  readonly double: string;
  readonly end_tokens: boolean;
}

const END_TOKENS = 'End the API tokens that I have made, too';

/** Where the person is signed in, and their password. */
export function Sessions() {
  const navigate = useNavigate();
  const [endTokens, setEndTokens] = useState(false);
  const sessions = useQuery(api.queryOptions('get', SESSIONS));
  const me = useQuery(api.queryOptions('get', '/virga/v1/session'));
  const leave = () => {
    setSession({ state: 'out' });
    queryClient.clear();
    void navigate({ to: '/sign-in' });
  };
  const end = rowCall<Session>({
    label: 'Sign out there',
    danger: true,
    title: () => 'Sign out there',
    call: ({ id }) => apiCall('delete', `${SESSIONS}/{session_id}`, { params: { path: { session_id: id } } }),
    accepted: (_, { is_current }) => is_current && leave(),
  });
  const everywhere = useDelete<{ readonly name: string }>({
    kind: 'all sessions',
    consequences: () => (
      <>
        <p style={{ marginTop: 0 }}>You are signed out here and everywhere else.</p>
        <Checkbox
          label={END_TOKENS}
          description="Programs that use them are refused from then on."
          checked={endTokens}
          onChange={(event) => setEndTokens(event.currentTarget.checked)}
        />
      </>
    ),
    call: () => apiCall('delete', SESSIONS, { params: { query: endTokens ? { end_tokens: true } : {} } }),
    deleted: leave,
  });
  const password = useRowForm<number, NewPassword>({
    label: 'Change password',
    form: (userId) => ({
      title: 'Change password',
      fields: [
        passwordField('old', 'Current password'),
        passwordField('new', 'New password', {
          about: `${PASSWORD_RULE}. Wherever else you are signed in, you sign in anew with it.`,
        }),
        passwordField('double', 'Repeat new password'),
        { key: 'tokens', label: END_TOKENS, kind: 'switch' },
      ],
      body: (values) => ({
        old: String(values.old),
        new: String(values.new),
        double: String(values.double),
        end_tokens: values.tokens === true,
      }),
      request: (body) =>
        apiCall('put', '/iam/users/{userId}/password', { params: { path: { userId } }, body }),
      shown: ({ end_tokens }) => ({ old: '…', new: '…', double: '…', end_tokens }),
      // The session is a new one, with another cookie.
      done: () => void readSession().then(refresh),
    }),
  });
  return (
    <>
      <ListPage<Session>
        title="Sessions"
        about="Where you are signed in. End what you do not recognize."
        result={sessions}
        columns={COLUMNS}
        actions={[end]}
        empty={{ title: 'No sessions', about: 'Nobody is signed in.' }}
        head={
          <>
            <VerbButton
              variant="default"
              why={me.data ? undefined : 'It is not known yet who you are'}
              onClick={() => me.data && password.action.run(me.data.user_id)}
            >
              Change password…
            </VerbButton>
            <Button color="red" variant="light" onClick={() => everywhere.action.run({ name: '' })}>
              Sign out everywhere…
            </Button>
          </>
        }
      />
      {everywhere.dialog}
      {password.dialog}
    </>
  );
}
