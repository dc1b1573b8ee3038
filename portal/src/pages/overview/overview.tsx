import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { faultOf } from '../../api/client.ts';
import { pathIn } from '../../api/scope.ts';
import { projectsQuery, regionsQuery } from '../../app/home.ts';
import { useScope } from '../../app/scope.ts';
import { TaskLine } from '../../app/task-drawer.tsx';
import { FaultNote } from '../../ui/fault.tsx';
import { Card, Empty, PageHead } from '../../ui/page.tsx';
import { ProjectPicture } from './map.tsx';
import styles from './overview.module.css';
import { recentTasksQuery } from './queries.ts';
import { Running } from './running.tsx';
import { Wrong } from './wrong.tsx';

/** What runs in this scope, what is wrong, what has just happened. */
export function Overview() {
  const scope = useScope();
  const projects = useQuery(projectsQuery());
  const regions = useQuery(regionsQuery());
  const tasks = useQuery(recentTasksQuery(scope));
  const project = projects.data?.results.find(({ id }) => id === scope.project)?.name;
  const region = regions.data?.results.find(({ id }) => id === scope.region)?.display_name;
  return (
    <>
      <PageHead
        title={project && region ? `${project} in ${region}` : 'Overview'}
        about="What runs here, what is wrong, and what has just happened."
      />
      <ProjectPicture />
      <Running />
      <div className={styles.columns}>
        <Wrong />
        <Card
          title="Recent tasks"
          aside={
            <Link className="link" to={pathIn(scope, 'tasks')}>
              All tasks
            </Link>
          }
        >
          {tasks.error && !tasks.data ? (
            <div className={styles.fault}>
              <FaultNote fault={faultOf(tasks.error)} retry={() => void tasks.refetch()} />
            </div>
          ) : !tasks.data ? (
            <Skeleton height={120} m="md" />
          ) : tasks.data.results.length === 0 ? (
            <Empty
              title="Nothing has happened yet"
              about="Create something above, and its task appears here."
            />
          ) : (
            <ul className={styles.tasks}>
              {tasks.data.results.map((task) => (
                <TaskLine key={task.id} task={task} />
              ))}
            </ul>
          )}
        </Card>
      </div>
    </>
  );
}
