import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/client.ts';
import { operatorApi, operatorCall } from '../../api/operator.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { startTask } from '../../ui/follow-task.tsx';
import { type Column, ListPage, useListSearch } from '../../ui/list-page.tsx';
import { Time } from '../../ui/time.tsx';
import { given, oneOf } from '../../ui/values.ts';
import { wishesOf } from '../quotas/names.ts';

type Request = Schemas['LimitsRequest'];

const COLUMNS: readonly Column<Request>[] = [
  { label: 'Request', cell: ({ id }) => `Request ${id}` },
  { label: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { label: 'Client', cell: ({ client_id }) => client_id, end: true },
  { label: 'Requested', cell: ({ requested_limits }) => wishesOf(requested_limits) },
  { label: 'Why', cell: ({ description }) => description ?? '' },
  { label: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
];

const STATES = ['in progress', 'done', 'rejected'] as const;

/** What clients ask more of. */
export function QuotaRequests() {
  const { page, search } = useListSearch();
  const status = oneOf(STATES, search.status);
  const result = useQuery(
    operatorApi.queryOptions('get', '/virga/v1/limits_requests', {
      params: { query: { ...page, ...given({ status: status && [status] }) } },
    }),
  );
  const answer = (request: Request, verb: 'approve' | 'reject') =>
    startTask(
      operatorCall('post', `/virga/v1/limits_requests/{request_id}/${verb}`, {
        params: { path: { request_id: request.id } },
      }),
      { title: `${verb === 'approve' ? 'Approve' : 'Reject'} request ${request.id}` },
    );
  const settled = ({ status }: Request) =>
    status === 'in progress' ? undefined : `It is answered: ${status === 'done' ? 'granted' : status}`;
  return (
    <ListPage<Request>
      title="Quota requests"
      about="What clients ask more of. An approved one is in force at once."
      result={result}
      columns={COLUMNS}
      actions={[
        { label: 'Approve', run: (request) => void answer(request, 'approve'), disabled: settled },
        {
          label: 'Reject',
          run: (request) => void answer(request, 'reject'),
          danger: true,
          disabled: settled,
        },
      ]}
      empty={{ title: 'Nobody asks for more', about: 'Requests of clients come here.' }}
    />
  );
}
