import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { operatorApi, operatorCall } from '../../api/operator.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Entry } from '../../ui/entry.tsx';
import { numberField, textField } from '../../ui/fields.ts';
import { choiceFilter } from '../../ui/filters.tsx';
import { startTask } from '../../ui/follow-task.tsx';
import { type Column, ListPage, useListSearch } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { optionsOf } from '../../ui/options.ts';
import { useRowForm } from '../../ui/row-form.tsx';
import { useShownOnce } from '../../ui/shown-once.tsx';
import { text } from '../../ui/side-form.tsx';
import { Time } from '../../ui/time.tsx';
import { given, number } from '../../ui/values.ts';

const TARGETS = '/virga/v1/webhook_targets';
const DELIVERIES = '/virga/v1/webhook_deliveries';

type Target = Schemas['WebhookTarget'];
type Delivery = Schemas['WebhookDelivery'];

/** Addresses that the events of clients are posted to. */
export function WebhookTargets() {
  const { page } = useListSearch();
  const { show, dialog } = useShownOnce('Secret', {
    title: 'The signing secret',
    about: 'With it the receiver checks that a call is from here.',
  });
  const result = useQuery(operatorApi.queryOptions('get', TARGETS, { params: { query: page } }));
  const move = useRowForm<Target, Schemas['UpdateWebhookTarget']>({
    label: 'Change address…',
    form: ({ id, url }) => ({
      title: 'Change the address',
      fields: [textField('url', 'Address', { initial: url, about: 'What still waits goes there, too' })],
      body: (values) => ({ url: text(values, 'url') }),
      request: (body) =>
        operatorCall('patch', `${TARGETS}/{target_id}`, { params: { path: { target_id: id } }, body }),
    }),
  });
  const rotate = useRowForm<Target, undefined>({
    label: 'Rotate secret…',
    form: ({ id, url }) => ({
      title: `Rotate the secret of ${url}`,
      about: 'For a day calls are signed with the new secret and the one before.',
      fields: [],
      body: () => undefined,
      request: () =>
        operatorCall('post', `${TARGETS}/{target_id}/rotate_secret`, { params: { path: { target_id: id } } }),
      done: (data) => show((data as { secret?: string }).secret),
    }),
  });
  return (
    <>
      <NounPage<Target, Schemas['CreateWebhookTarget']>
        title="Webhook targets"
        about="Addresses that the events of a client are posted to, signed."
        result={result}
        columns={[
          { label: 'Address', cell: ({ url }) => <code>{url}</code> },
          { label: 'Client', cell: ({ client_id }) => client_id, end: true },
          {
            label: 'Status',
            cell: ({ ended_at, end_reason }) => (
              <StatusBadge status={ended_at ? 'ended' : 'active'} detail={end_reason ?? undefined} />
            ),
          },
          { label: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        verbs={[move, rotate]}
        remove={{
          kind: 'webhook target',
          nameOf: ({ url }) => url,
          consequences: () => 'Deliveries that still wait for it are given up.',
          call: ({ id }) =>
            operatorCall('delete', `${TARGETS}/{target_id}`, { params: { path: { target_id: id } } }),
        }}
        empty={{ title: 'No targets', about: 'Add one to hear of the events of a client.' }}
        form={{
          title: 'Add target',
          fields: [
            numberField('client_id', 'Client', { about: 'Its id', min: 1, initial: 1 }),
            textField('url', 'Address', { placeholder: 'https://example.com/hook' }),
          ],
          body: (values) => ({ client_id: number(values, 'client_id') ?? 0, url: text(values, 'url') }),
          request: (body) => operatorCall('post', TARGETS, { body }),
          done: (data) => show((data as { secret?: string }).secret),
        }}
      />
      {dialog}
    </>
  );
}

const COLUMNS: readonly Column<Delivery>[] = [
  { label: 'Event', cell: ({ type }) => <code>{type}</code> },
  {
    label: 'Status',
    cell: ({ state, last_error }) => <StatusBadge status={state} detail={last_error ?? undefined} />,
  },
  { label: 'To', cell: ({ url }) => url },
  { label: 'Attempts', cell: ({ attempts }) => attempts, end: true },
  { label: 'Why not', cell: ({ last_error }) => last_error ?? '' },
  { label: 'Since', cell: ({ created_at }) => <Time at={created_at} /> },
];

/** What was posted, what waits, and what failed; each may be posted again. */
export function Deliveries() {
  const { page, search } = useListSearch();
  const [shown, setShown] = useState<Delivery>();
  const result = useQuery(
    operatorApi.queryOptions('get', DELIVERIES, {
      params: { query: { ...page, ...given({ state: search.state as 'FAILED' }) } },
    }),
  );
  const replay = ({ id, type }: Delivery) =>
    startTask(
      operatorCall('post', `${DELIVERIES}/{delivery_id}/replay`, { params: { path: { delivery_id: id } } }),
      { title: `Post ${type} again` },
    );
  return (
    <>
      <ListPage<Delivery>
        title="Deliveries"
        about="What was posted to webhook targets, and what waits. An ended one can be posted again."
        filters={[
          choiceFilter(
            'state',
            'Status',
            optionsOf({ WAITING: 'Waiting', DELIVERED: 'Delivered', FAILED: 'Failed' }),
          ),
        ]}
        result={result}
        columns={COLUMNS}
        actions={[
          { label: 'Show what was posted', run: setShown },
          {
            label: 'Post again',
            run: (delivery) => void replay(delivery),
            disabled: ({ state, target_id }) =>
              state === 'WAITING'
                ? 'It is still to be made'
                : target_id === null
                  ? 'Its target was deleted'
                  : undefined,
          },
        ]}
        empty={{ title: 'Nothing has been posted', about: 'Events of clients with a target come here.' }}
      />
      <Entry title={shown?.type} close={() => setShown(undefined)}>
        <pre style={{ maxHeight: 420, overflow: 'auto' }}>{JSON.stringify(shown?.data, null, 2)}</pre>
      </Entry>
    </>
  );
}
