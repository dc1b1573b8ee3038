import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { useDelete } from '../../ui/delete-action.tsx';
import { passwordField, textField } from '../../ui/fields.ts';
import { type Column, useListSearch } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { rowCall } from '../../ui/row-call.ts';
import { texts } from '../../ui/values.ts';

import { OwnDeliveries } from './deliveries.tsx';

type Subscription = Schemas['UserActionSubscription'];

const COLUMNS: readonly Column<Subscription>[] = [
  { label: 'Address', cell: ({ url }) => <code>{url}</code> },
  { label: 'Secret header', cell: ({ auth_header_name }) => <code>{auth_header_name}</code> },
];

/** Posts a test, and says what came of it. */
const sendTest = rowCall<Subscription>({
  label: 'Send test',
  title: ({ url }) => `Test ${url}`,
  call: ({ id }) =>
    apiCall('post', '/virga/v1/user_action_subscriptions/{subscription_id}/test', {
      params: { path: { subscription_id: id } },
    }),
  accepted: (data, { url }) => {
    const { delivered, error } = data as Schemas['UserActionSubscriptionTest'];
    notifications.show({
      color: delivered ? 'green' : 'red',
      title: delivered ? 'The test was accepted' : 'The test was not accepted',
      message: delivered ? url : (error ?? ''),
      autoClose: delivered ? 4000 : false,
    });
  },
});

/** Who else is notified of every change: an address that each entry of the audit log is posted to. */
export function Subscriptions() {
  const { page } = useListSearch();
  const result = useQuery(
    api.queryOptions('get', '/cloud/v1/user_actions/subscriptions_list', { params: { query: page } }),
  );
  const stop = useDelete<Subscription>({
    kind: 'webhook',
    nameOf: ({ url }) => url,
    consequences: () => 'It receives no more changes.',
    call: () => apiCall('post', '/cloud/v1/user_actions/unsubscribe', {}),
  });
  const [one] = result.data?.results ?? [];
  return (
    <>
      <NounPage<Subscription, Schemas['CreateUserActionSubscription']>
        title="Webhooks"
        about="A URL of yours that receives every change of this account, as it stands in the audit log."
        result={result}
        columns={COLUMNS}
        createDisabled={one ? 'There is one already: remove it first' : undefined}
        head={
          one && (
            <>
              <ActionButton size="sm" action={sendTest} row={one} />
              <ActionButton size="sm" action={{ ...stop.action, label: 'Remove…' }} row={one} />
            </>
          )
        }
        empty={{
          title: 'Nobody is notified',
          about: 'Add an address, and your own systems know of changes as they happen.',
        }}
        form={{
          title: 'Add webhook',
          fields: [
            textField('url', 'Address', { placeholder: 'https://example.com/hook' }),
            textField('auth_header_name', 'Secret header', {
              about: 'Your receiver checks it to know that a call is from Virga',
              initial: 'Authorization',
            }),
            passwordField('auth_header_value', 'Value of the secret header'),
          ],
          body: (values) => texts(values, 'url', 'auth_header_name', 'auth_header_value'),
          request: (body) => apiCall('post', '/cloud/v1/user_actions/subscribe', { body }),
          shown: (body) => ({ ...body, auth_header_value: '…' }),
        }}
      />
      {stop.dialog}
      {one && <OwnDeliveries />}
    </>
  );
}
