import { useQuery } from '@tanstack/react-query';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { optionField, textField } from '../../ui/fields.ts';
import { type Column, useListSearch } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { useRowForm } from '../../ui/row-form.tsx';
import { useShownOnce } from '../../ui/shown-once.tsx';
import { given, text } from '../../ui/side-form.tsx';
import { ROLES } from './roles.ts';

const PERSON = '/iam/clients/{clientId}/client-users/{userId}';

const LANGUAGES = new Intl.DisplayNames('en', { type: 'language' });

type Person = Schemas['FullUser'];

const COLUMNS: readonly Column<Person>[] = [
  { label: 'Person', cell: ({ name, email }) => name || email },
  {
    label: 'Status',
    cell: ({ activated }) => <StatusBadge status={activated ? 'ACTIVE' : 'Invited'} />,
  },
  { label: 'Email address', cell: ({ email }) => email },
  { label: 'Role', cell: ({ groups }) => groups.map(({ name }) => name).join(', ') },
  { label: 'Language', cell: ({ lang }) => LANGUAGES.of(lang), wideOnly: true },
];

/** Who belongs to the account, and who is invited. */
export function People() {
  const session = useSession();
  const clientId = session.state === 'in' ? session.clientId : 0;
  const me = session.state === 'in' ? session.email : '';
  const { page } = useListSearch();
  const { show, dialog } = useShownOnce('Link', {
    title: 'Send this link to the invited person',
    about: 'No mail is sent from here. Whoever opens the link within 7 days can accept the invitation.',
  });
  const result = useQuery(api.queryOptions('get', '/iam/users', { params: { query: page } }));
  const role = useRowForm<Person, { user_role: { id: number } }>({
    label: 'Change role…',
    disabled: ({ email }) => (email === me ? 'It is you: ask another administrator' : undefined),
    form: (person) => ({
      title: `Role of ${person.email}`,
      verb: 'Save',
      fields: [
        optionField('role', 'Role', ROLES, {
          initial: String(person.groups[0]?.id ?? 1),
          fault: 'user_role',
        }),
      ],
      body: (values) => ({ user_role: { id: Number(values.role) } }),
      request: (body) => apiCall('put', PERSON, { params: { path: { clientId, userId: person.id } }, body }),
    }),
  });
  return (
    <>
      <NounPage<Person, Schemas['InviteWithLink']>
        title="People"
        about="Who may sign in to this account. Somebody new gets an invitation, and belongs to it once they have accepted."
        result={result}
        columns={COLUMNS}
        verbs={[role]}
        remove={{
          kind: 'person',
          nameOf: ({ email }) => email,
          askName: ({ activated }) => activated,
          disabled: ({ email }) => (email === me ? 'It is you: ask another administrator' : undefined),
          consequences: ({ activated }) =>
            activated
              ? 'They are signed out at once, and the tokens that they made stop working.'
              : 'Their invitation no longer works.',
          call: ({ id }) => apiCall('delete', PERSON, { params: { path: { clientId, userId: id } } }),
        }}
        empty={{ title: 'Nobody', about: 'Invite the first person.' }}
        form={{
          title: 'Invite person',
          fields: [
            textField('email', 'Email address'),
            optionField('role', 'Role', ROLES, { initial: '5', fault: 'user_role' }),
            { key: 'name', label: 'Name', kind: 'text' },
          ],
          body: (values) => ({
            email: text(values, 'email'),
            user_role: { id: Number(values.role) },
            ...given({ name: text(values, 'name') }),
          }),
          request: (body) => apiCall('post', '/virga/v1/invitations', { body }),
          done: (data) => {
            const { link } = data as Schemas['InvitationWithLink'];
            // The server may not know under which address people reach it.
            show(link === null ? undefined : new URL(link, location.origin).href);
          },
        }}
      />
      {dialog}
    </>
  );
}
