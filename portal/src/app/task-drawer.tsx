import { Drawer, Indicator, RingProgress, Tooltip, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, faultOf } from '../api/client.ts';
import { pathIn } from '../api/scope.ts';
import { isEnded, type Task, useKnownTasks } from '../api/tasks.ts';
import { StatusBadge } from '../ui/badge.tsx';
import { FaultNote } from '../ui/fault.tsx';
import { Empty } from '../ui/page.tsx';
import { SubjectOf } from '../ui/subject.tsx';
import { taskName } from '../ui/task-name.ts';
import { duration, readTime, Time, useNow } from '../ui/time.tsx';
import { useScope } from './scope.ts';
import styles from './task-drawer.module.css';

/** A ring that fills as the running tasks do, with their number; it opens the list of tasks. */
export function TaskRing() {
  const [opened, { open, close }] = useDisclosure(false);
  const { running, unread } = useRunningTasks();
  const known = useKnownTasks();
  const mean = running.reduce((sum, { progress }) => sum + (progress ?? 0), 0) / Math.max(1, running.length);
  const none = unread ? 'What is running could not be read' : 'No task is running';
  const label = running.length === 0 ? none : `${running.length} running`;
  return (
    <>
      <Tooltip label={label}>
        <UnstyledButton className={styles.ring} onClick={open} aria-label={`Tasks: ${label}`}>
          <Indicator disabled={running.length === 0} label={running.length} size={15} offset={4}>
            <RingProgress
              size={28}
              thickness={3}
              roundCaps
              sections={running.length > 0 ? [{ value: Math.max(6, mean), color: 'var(--accent)' }] : []}
              rootColor="var(--line-strong)"
            />
          </Indicator>
        </UnstyledButton>
      </Tooltip>
      <Drawer
        opened={opened}
        onClose={close}
        position="right"
        size={420}
        title="Tasks"
        closeButtonProps={{ 'aria-label': 'Close the tasks' }}
      >
        <TaskDrawer
          tasks={[...running, ...known.filter(isEnded)].slice(0, 50)}
          unread={unread}
          close={close}
        />
      </Drawer>
    </>
  );
}

/** What the server says is running, kept in step by the event stream. */
function useRunningTasks() {
  const known = useKnownTasks();
  const { data, error, refetch } = useQuery(
    api.queryOptions('get', '/cloud/v1/tasks', {
      params: { query: { state: ['NEW', 'RUNNING'], limit: 50 } },
    }),
  );
  const byId = new Map(known.map((task) => [task.id, task]));
  const listed = (data?.results ?? []).map((task) => byId.get(task.id) ?? task);
  const heard = known.filter((task) => !listed.some(({ id }) => id === task.id));
  const running = [...heard, ...listed].filter((task) => !isEnded(task));
  return { running, unread: error && !data ? { error, refetch } : undefined };
}

interface TaskDrawerProps {
  readonly tasks: readonly Task[];
  /** Why it is not known what is running. */
  readonly unread: { readonly error: unknown; readonly refetch: () => unknown } | undefined;
  readonly close: () => void;
}

function TaskDrawer({ tasks, unread, close }: TaskDrawerProps) {
  const scope = useScope();
  if (unread) return <FaultNote fault={faultOf(unread.error)} retry={() => void unread.refetch()} />;
  if (tasks.length === 0) {
    return (
      <Empty
        title="No tasks"
        about="Every change of infrastructure is a task. What runs, and what has just ended, is shown here."
      />
    );
  }
  return (
    <>
      <ul className={styles.list}>
        {tasks.map((task) => (
          <TaskLine key={task.id} task={task} follow={close} />
        ))}
      </ul>
      <Link className="link" to={pathIn(scope, 'tasks')} onClick={close}>
        All tasks
      </Link>
    </>
  );
}

interface TaskLineProps {
  readonly task: Task;
  /** When somebody goes to its page. */
  readonly follow?: () => void;
}

export function TaskLine({ task, follow }: TaskLineProps) {
  const scope = useScope();
  const now = useNow();
  const since = task.created_on ? readTime(task.created_on).getTime() : now;
  return (
    <li className={styles.line}>
      <div className={styles.lineHead}>
        <span>
          <Link className={styles.name} to={pathIn(scope, 'tasks', task.id)} onClick={follow}>
            {taskName(task)}
          </Link>{' '}
          <SubjectOf task={task} follow={follow} />
        </span>
        <StatusBadge status={task.state} />
      </div>
      {!isEnded(task) && (
        <>
          <progress className={styles.progress} max={100} value={task.progress} aria-label="Progress" />
          <div className={styles.soft}>
            {task.step ?? 'Waiting for its turn'} · {duration(now - since)}
          </div>
        </>
      )}
      {task.error && <div className={styles.error}>{task.error}</div>}
      {isEnded(task) && (
        <div className={styles.soft}>
          <Time at={task.finished_on} />
        </div>
      )}
    </li>
  );
}
