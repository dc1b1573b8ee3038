import { Button } from '@mantine/core';
import { apiCall, faultOf, queryClient, type Schemas } from '../api/client.ts';
import { FaultNote } from '../ui/fault.tsx';
import { Empty } from '../ui/page.tsx';
import { useSubmit } from '../ui/submit.ts';
import { Time } from '../ui/time.tsx';
import { VerbButton } from '../ui/verb-button.tsx';
import styles from './bell.module.css';

type Notification = Schemas['Notification'];

const MEANS: Readonly<Record<Notification['means'], string>> = { mail: 'By mail', webhook: 'A webhook' };

interface BellListProps {
  readonly query: {
    readonly data: Schemas['NotificationList'] | undefined;
    readonly error: unknown;
    readonly isFetching: boolean;
    readonly refetch: () => unknown;
  };
  readonly showMore: (() => void) | undefined;
}

/** What somebody was notified of, the newest first, with marks of what they have read. */
export function BellList({ query, showMore }: BellListProps) {
  const { busy, fault, send } = useSubmit();
  const { data, error } = query;
  if (!data) return error ? <FaultNote fault={faultOf(error)} retry={() => void query.refetch()} /> : null;
  const { results, unread, count } = data;
  const [newest] = results;
  if (!newest) {
    return (
      <Empty
        title="No notifications"
        about="Quotas and storages that reach their threshold, webhooks that are given up and changes of your sign-in are shown here for 90 days."
      />
    );
  }
  const looked = () => queryClient.invalidateQueries({ queryKey: ['get', '/virga/v1/notifications'] });
  const readAll = () =>
    send(
      () => apiCall('post', '/virga/v1/notifications/read', { body: { up_to: newest.id } }).send(),
      looked,
    );
  const mark = ({ id, is_read }: Notification) =>
    send(
      () =>
        apiCall('patch', '/virga/v1/notifications/{notification_id}', {
          params: { path: { notification_id: id } },
          body: { is_read: !is_read },
        }).send(),
      looked,
    );
  return (
    <>
      <VerbButton
        size="xs"
        variant="default"
        why={unread === 0 ? 'You have read all of them' : undefined}
        onClick={() => void readAll()}
      >
        Mark all as read
      </VerbButton>
      {fault && <FaultNote fault={fault} />}
      <ul className={styles.list} aria-busy={busy}>
        {results.map((one) => (
          <Line key={one.id} one={one} mark={() => void mark(one)} />
        ))}
      </ul>
      {showMore && count > results.length && (
        <Button size="xs" variant="default" loading={query.isFetching} onClick={showMore}>
          Show more
        </Button>
      )}
    </>
  );
}

interface LineProps {
  readonly one: Notification;
  readonly mark: () => void;
}

function Line({ one, mark }: LineProps) {
  return (
    <li className={styles.line} data-unread={!one.is_read}>
      <strong>{one.subject}</strong>
      {one.body && (
        <details>
          <summary>The mail</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <pre tabIndex={0}>{one.body}</pre>
        </details>
      )}
      <div className={styles.foot}>
        <span className={styles.soft}>
          {MEANS[one.means]} · <Time at={one.created_at} />
        </span>
        <Button
          size="compact-xs"
          variant="subtle"
          onClick={mark}
          aria-label={`${one.is_read ? 'Mark as not read' : 'Mark as read'}: ${one.subject}`}
        >
          {one.is_read ? 'Mark as not read' : 'Mark as read'}
        </Button>
      </div>
    </li>
  );
}
