import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { every, faultOf } from '../../api/client.ts';
import { pathIn, usePlace } from '../../app/place.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { FaultNote } from '../../ui/fault.tsx';
import { IconCircleCheck } from '../../ui/icons.ts';
import { Card } from '../../ui/page.tsx';
import { SubjectOf } from '../../ui/subject.tsx';
import { taskName } from '../../ui/task-name.ts';
import { Time } from '../../ui/time.tsx';
import styles from './overview.module.css';
import { balancersQuery, deadBalancersQuery, failedTasksQuery } from './queries.ts';

/** What somebody should look at: load balancers that are not well, and tasks that failed and nobody has seen. */
export function Wrong() {
  const place = usePlace();
  const first = useQuery({ ...balancersQuery(place), ...every(5_000) });
  const dead = useQuery({ ...deadBalancersQuery(place), ...every(5_000) });
  const failed = useQuery(failedTasksQuery(place));
  const degraded = (first.data?.results ?? []).filter((lb) => lb.operating_status === 'DEGRADED');
  const balancers = [...(dead.data?.results ?? []), ...degraded];
  const tasks = failed.data?.results ?? [];
  const asked = [first, dead, failed];
  const again = () => {
    for (const { refetch } of asked) void refetch();
  };
  const unread = asked.find(({ data, error }) => error && !data);
  return (
    <Card title="Needs attention">
      {unread ? (
        <div className={styles.fault}>
          <FaultNote fault={faultOf(unread.error)} retry={again} />
        </div>
      ) : asked.some(({ data }) => !data) ? (
        <Skeleton height={80} m="md" />
      ) : balancers.length + tasks.length === 0 ? (
        <p className={styles.well}>
          <IconCircleCheck size={18} /> Everything is well.
        </p>
      ) : (
        <ul className={styles.wrong}>
          {balancers.map((lb) => (
            <li key={lb.id}>
              <StatusBadge status={lb.operating_status} />
              <Link className="link" to={pathIn(place, 'load-balancers', lb.id)}>
                {lb.name}
              </Link>
            </li>
          ))}
          {tasks.map((task) => (
            <li key={task.id}>
              <StatusBadge status="ERROR" />
              <span>
                <Link className="link" to={pathIn(place, 'tasks', task.id)}>
                  {taskName(task)}
                </Link>{' '}
                <SubjectOf task={task} />: {task.error} · <Time at={task.finished_on} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
