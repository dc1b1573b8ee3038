import { useQuery } from '@tanstack/react-query';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { optionField, textField } from '../../ui/fields.ts';
import type { Column } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { useShownOnce } from '../../ui/shown-once.tsx';
import type { Field } from '../../ui/side-form.tsx';
import { readTime, Time } from '../../ui/time.tsx';
import { given, texts } from '../../ui/values.ts';
import { ROLES } from './roles.ts';

const TOKENS = '/iam/clients/{clientId}/tokens';

type Token = Schemas['ApiToken'];

const COLUMNS: readonly Column<Token>[] = [
  { label: 'Name', cell: ({ name }) => name },
  { label: 'Role', cell: ({ client_user }) => client_user?.role?.name ?? '' },
  { label: 'Last used', cell: ({ last_usage }) => <Time at={last_usage || null} /> },
  {
    label: 'Expires',
    cell: ({ exp_date, expired }) =>
      expired ? 'expired' : exp_date ? readTime(exp_date).toLocaleDateString() : 'never',
  },
  { label: 'Created', cell: ({ created }) => <Time at={created} /> },
];

const FIELDS: readonly Field[] = [
  textField('name', 'Name'),
  optionField('role', 'Role', ROLES, { initial: '5', fault: 'client_user.role.id' }),
  {
    key: 'days',
    label: 'Expires after, in days',
    about: 'Empty: never',
    kind: 'number',
    min: 1,
    max: 3650,
    initial: 90,
    fault: 'exp_date',
  },
  { key: 'description', label: 'Description', kind: 'text' },
];

/** The tokens that programs call the API with. */
export function ApiTokens() {
  const session = useSession();
  const clientId = session.state === 'in' ? session.clientId : 0;
  const path = { clientId };
  const { show, dialog } = useShownOnce('Token', {
    title: 'The new token',
    about: 'Keep it where your program reads its secrets.',
  });
  const list = useQuery(api.queryOptions('get', TOKENS, { params: { path, query: { deleted: false } } }));
  const results = list.data ?? [];
  return (
    <>
      <NounPage
        title="API tokens"
        about="A token lets a program call the API as this account, with the role that it has."
        result={{ ...list, data: list.data && { count: results.length, results } }}
        columns={COLUMNS}
        empty={{
          title: 'No tokens',
          about: 'Create one for each program, so that each can be revoked alone.',
        }}
        remove={{
          kind: 'token',
          consequences: ({ last_usage }) =>
            last_usage ? 'Programs that use it are refused from now on.' : 'It was never used.',
          askName: ({ last_usage }) => Boolean(last_usage),
          call: ({ id }) =>
            apiCall('delete', `${TOKENS}/{tokenId}`, { params: { path: { ...path, tokenId: id } } }),
        }}
        form={{
          title: 'Create token',
          fields: FIELDS,
          body: (values) => ({
            ...texts(values, 'name'),
            ...given(texts(values, 'description')),
            exp_date:
              Number(values.days) > 0
                ? new Date(Date.now() + Number(values.days) * 86_400_000).toISOString()
                : null,
            client_user: { role: { id: Number(values.role) } },
          }),
          request: (body) => apiCall('post', TOKENS, { params: { path }, body: body }),
          done: (data) => show((data as { token?: string }).token),
        }}
      />
      {dialog}
    </>
  );
}
