import { useQuery } from '@tanstack/react-query';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Card } from '../../ui/page.tsx';
import { rowCall } from '../../ui/row-call.ts';
import { Rows } from '../../ui/rows.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

type Delivery = Schemas['WebhookDelivery'];

const DELIVERIES = '/virga/v1/user_action_deliveries';

const COLUMNS: readonly Column<Delivery>[] = [
  { label: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
  { label: 'Status', cell: ({ state }) => <StatusBadge status={state} /> },
  { label: 'Attempts', cell: ({ attempts }) => attempts, end: true },
  { label: 'Reason', cell: ({ last_error }) => last_error ?? '' },
  { label: 'Next attempt', cell: ({ next_attempt_at }) => <Time at={next_attempt_at} /> },
  { label: 'Address', cell: ({ url }) => <code>{url}</code>, wideOnly: true },
];

const replay = rowCall<Delivery>({
  label: 'Send again',
  title: ({ url }) => `Send again to ${url}`,
  disabled: ({ state, target_id }) =>
    state === 'WAITING'
      ? 'It still waits to be sent'
      : target_id === null
        ? 'Its webhook was removed'
        : undefined,
  call: ({ id }) =>
    apiCall('post', `${DELIVERIES}/{delivery_id}/replay`, { params: { path: { delivery_id: id } } }),
});

/** The last deliveries to the account's webhook, and why some failed. */
export function OwnDeliveries() {
  const query = useQuery(api.queryOptions('get', DELIVERIES, { params: { query: { limit: 50 } } }));
  return (
    <Card title="Deliveries">
      <Rows
        title="Deliveries"
        query={query}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        actions={[replay]}
        empty={{ title: 'Nothing was sent yet', about: 'The next change in this account is sent at once.' }}
      />
    </Card>
  );
}
