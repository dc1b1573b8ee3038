import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { every, type Schemas } from '../../api/client.ts';
import { pathIn, type Scope } from '../../api/scope.ts';
import { regionsQuery } from '../../app/home.ts';
import { pageOf } from '../../app/kinds.ts';
import { useScope } from '../../app/scope.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { unreadNote } from '../../ui/fault.tsx';
import { IconCircleCheck } from '../../ui/icons.ts';
import { Card } from '../../ui/page.tsx';
import { taskName } from '../../ui/task-name.ts';
import { Time } from '../../ui/time.tsx';
import { quotaTitle } from '../quotas/names.ts';
import styles from './overview.module.css';
import { attentionQuery } from './queries.ts';

type Item = Schemas['AttentionItem'];

/** The stream says when it changes; what comes with time alone, such as the end of a certificate, it does not. */
const LOOK_MS = 60_000;
const SHOWN = 12;

/** What somebody should look at, in all regions of the project. */
export function Wrong() {
  const scope = useScope();
  const result = useQuery({ ...attentionQuery(scope), ...every(LOOK_MS) });
  const regions = useQuery(regionsQuery());
  const items = result.data?.results ?? [];
  const unread = unreadNote(result);
  const regionOf = ({ region_id: id }: Item) =>
    id === null || id === scope.region
      ? undefined
      : regions.data?.results.find((region) => region.id === id)?.display_name;
  return (
    <Card title="Needs attention" aside={items.length > SHOWN ? `${items.length} in all` : undefined}>
      {unread ? (
        <div className={styles.fault}>{unread}</div>
      ) : !result.data ? (
        <Skeleton height={80} m="md" />
      ) : items.length === 0 ? (
        <p className={styles.well}>
          <IconCircleCheck size={18} /> Everything is well.
        </p>
      ) : (
        <ul className={styles.wrong}>
          {items.slice(0, SHOWN).map((item) => (
            <Line key={`${item.kind} ${item.id} ${item.reason}`} item={item} region={regionOf(item)} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function Line({ item, region }: { readonly item: Item; readonly region: string | undefined }) {
  const { severity, subject, reason, since } = item;
  const to = pathOf(item, useScope());
  const name = nameOf(item);
  return (
    <li>
      <StatusBadge status={severity === 'failed' ? 'ERROR' : 'Soon'} />
      <span>
        {to ? (
          <Link className="link" to={to}>
            {name}
          </Link>
        ) : (
          name
        )}
        {subject && ` ${subject}`}
        {region && ` in ${region}`}: {reason}
        {since && (
          <>
            {' · '}
            <Time at={since} />
          </>
        )}
      </span>
    </li>
  );
}

function nameOf({ kind, name }: Item): string {
  if (kind === 'task') return taskName({ task_type: name });
  return kind === 'quota' ? quotaTitle(name) : name;
}

function pathOf({ kind, id, name, region_id }: Item, here: Scope): string | undefined {
  const scope = { ...here, region: region_id ?? here.region };
  switch (kind) {
    case 'task':
      return pathIn(scope, 'tasks', id);
    case 'quota':
      return pathIn(scope, 'quotas');
    case 'webhook':
      return '/account/subscriptions';
    default:
      return pageOf({ kind, id, name }, scope);
  }
}
