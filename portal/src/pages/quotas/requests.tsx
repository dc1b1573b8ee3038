import { useQuery } from '@tanstack/react-query';
import { api, apiCall, faultOf, type Schemas } from '../../api/client.ts';
import { needsOf } from '../../api/may.ts';
import { useScope } from '../../app/scope.ts';
import { QuotaBar } from '../../pictures/quota-bar.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { useDelete } from '../../ui/delete-action.tsx';
import { FaultNote } from '../../ui/fault.tsx';
import { areaField, numberField, optionField } from '../../ui/fields.ts';
import { LinkButton } from '../../ui/link-button.tsx';
import { Card } from '../../ui/page.tsx';
import { SideForm, text, useNewForm } from '../../ui/side-form.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { number } from '../../ui/values.ts';
import { type Quota, quotaName, quotaTitle, wishesOf } from './names.ts';

const REQUESTS = '/cloud/v2/limits_request';

type Request = Schemas['LimitsRequest'];

const COLUMNS: readonly Column<Request>[] = [
  { label: 'Requested', cell: ({ requested_limits }) => wishesOf(requested_limits) },
  { label: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { label: 'Why', cell: ({ description }) => description ?? '', wideOnly: true },
  { label: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
];

interface RequestMoreProps {
  readonly regional: readonly Quota[];
  readonly global: readonly Quota[];
  readonly threshold: number;
}

/** The button and the form that ask for a higher limit. */
export function RequestMore({ regional, global, threshold }: RequestMoreProps) {
  const { region } = useScope();
  const form = useNewForm();
  const all = [...regional, ...global];
  const options = all.map(({ name }) => name).sort((a, b) => quotaName(a).localeCompare(quotaName(b)));
  const bodyOf = (quota: string, limit: number, description: string): Schemas['CreateLimitsRequest'] => ({
    description,
    requested_limits: global.some(({ name }) => name === quota)
      ? { global_limits: { [`${quota}_limit`]: limit } }
      : { regional_limits: [{ region_id: region, [`${quota}_limit`]: limit }] },
  });
  return (
    <>
      <LinkButton to={form.to} call={needsOf('post', REQUESTS)}>
        Request more
      </LinkButton>
      <SideForm
        title="Request more"
        fields={[
          optionField(
            'quota',
            'Quota',
            options.map((value) => ({ value, label: quotaTitle(value) })),
            { initial: all[0]?.name ?? '' },
          ),
          numberField('limit', 'New limit', { min: 1, fault: 'requested_limits' }),
          areaField('description', 'Reason', { about: 'The operator reads this' }),
        ]}
        picture={(values) => {
          const quota = all.find(({ name }) => name === values.quota);
          return (
            quota && (
              <QuotaBar
                name={`${quotaName(quota.name)} now`}
                limit={quota.limit}
                usage={quota.usage}
                threshold={threshold}
              />
            )
          );
        }}
        body={(values) =>
          bodyOf(text(values, 'quota'), number(values, 'limit') ?? 0, text(values, 'description'))
        }
        request={(body) => apiCall('post', REQUESTS, { body })}
        opened={form.opened}
        close={form.close}
      />
    </>
  );
}

/** What was asked for, and what came of it. */
export function OwnRequests() {
  const { data, error, refetch } = useQuery(api.queryOptions('get', REQUESTS));
  const withdraw = useDelete<Request>({
    kind: 'request',
    instead: { verb: 'Withdraw', label: 'Withdraw…' },
    nameOf: ({ requested_limits }) => wishesOf(requested_limits),
    consequences: () => 'Nobody will decide on it. Limits that were granted stay.',
    call: ({ id }) => apiCall('delete', `${REQUESTS}/{request_id}`, { params: { path: { request_id: id } } }),
  });
  if (error && !data)
    return (
      <Card title="Requests">
        <FaultNote fault={faultOf(error)} retry={() => void refetch()} />
      </Card>
    );
  if (!data || data.results.length === 0) return null;
  return (
    <Card title="Requests">
      <Table
        title="Requests"
        rows={data.results}
        columns={COLUMNS}
        rowKey={({ id }) => String(id)}
        actions={[withdraw.action]}
      />
      {withdraw.dialog}
    </Card>
  );
}
