import { Skeleton } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { pathIn, pathParams, usePlace } from '../../app/place.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Card } from '../../ui/page.tsx';
import { taskName } from '../../ui/task-name.ts';
import { Time } from '../../ui/time.tsx';
import styles from './overview.module.css';

/** What somebody should look at: load balancers that are not well, and tasks that failed and nobody has seen. */
export function Wrong() {
  const place = usePlace();
  const path = pathParams(place);
  const sick = (operating_status: 'DEGRADED' | 'ERROR' | 'OFFLINE') =>
    api.queryOptions('get', '/cloud/v1/loadbalancers/{project_id}/{region_id}', {
      params: { path, query: { operating_status, limit: 5 } },
    });
  const degraded = useQuery({ ...sick('DEGRADED'), refetchInterval: 5_000 });
  const dead = useQuery({ ...sick('ERROR'), refetchInterval: 5_000 });
  const failed = useQuery(
    api.queryOptions('get', '/cloud/v1/tasks', {
      params: {
        query: {
          project_id: [place.project],
          region_id: [place.region],
          state: ['ERROR'],
          is_acknowledged: false,
          limit: 5,
        },
      },
    }),
  );
  const balancers = [...(dead.data?.results ?? []), ...(degraded.data?.results ?? [])];
  const tasks = failed.data?.results ?? [];
  const loading = !degraded.data || !dead.data || !failed.data;
  return (
    <Card title="Needs attention">
      {loading ? (
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
                {taskName(task)}: {task.error} <Time at={task.finished_on} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
