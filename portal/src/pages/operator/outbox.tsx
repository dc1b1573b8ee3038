import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { operatorApi } from '../../api/operator.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Entry } from '../../ui/entry.tsx';
import { type Column, ListPage, useListSearch } from '../../ui/list-page.tsx';
import { Time } from '../../ui/time.tsx';

type Mail = Schemas['Mail'];

const stateOf = ({ sent_at, failed_at }: Mail) => (sent_at ? 'SENT' : failed_at ? 'FAILED' : 'WAITING');

const COLUMNS: readonly Column<Mail>[] = [
  { label: 'Subject', cell: ({ subject }) => subject },
  {
    label: 'Status',
    cell: (mail) => <StatusBadge status={stateOf(mail)} detail={mail.error ?? undefined} />,
  },
  { label: 'To', cell: ({ recipient }) => recipient },
  { label: 'Attempts', cell: ({ attempts }) => attempts, end: true },
  { label: 'Why not', cell: ({ error }) => error ?? '' },
  { label: 'Written', cell: ({ created_at }) => <Time at={created_at} /> },
];

/** The mail that was sent, or waits. */
export function Outbox() {
  const { page } = useListSearch();
  const [shown, setShown] = useState<Mail>();
  const result = useQuery(operatorApi.queryOptions('get', '/virga/v1/outbox', { params: { query: page } }));
  return (
    <>
      <ListPage<Mail>
        title="Outbox"
        about="The mail that was sent, and what waits. Without SMTP_URL it waits here to be read."
        result={result}
        columns={COLUMNS}
        actions={[{ label: 'Read', run: setShown }]}
        empty={{ title: 'No mail', about: 'Invitations, new passwords and warnings are written here first.' }}
      />
      <Entry title={shown?.subject} size="lg" close={() => setShown(undefined)}>
        <pre style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{shown?.body}</pre>
      </Entry>
    </>
  );
}
