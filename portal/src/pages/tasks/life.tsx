import type { Task } from '../../api/tasks.ts';
import { duration, readTime, Time, useNow } from '../../ui/time.tsx';
import styles from './life.module.css';

/** The line of states that a task goes through, each with its time. */
export function Life({ task }: { readonly task: Task }) {
  const { state } = task;
  const ended = state === 'FINISHED' || state === 'ERROR';
  const running = state === 'RUNNING';
  return (
    <ol className={styles.life} aria-label="Life of the task">
      <li data-is={state === 'NEW' ? 'now' : 'past'}>
        <strong>Accepted</strong>
        <span className={styles.soft}>
          <Time at={task.created_on} />
          {state === 'NEW' && '. Waiting for its turn'}
        </span>
      </li>
      <li data-is={running ? 'now' : ended ? 'past' : 'ahead'}>
        <strong>Running</strong>
        <span className={styles.soft}>
          {running && `${task.step ?? 'Running'} · ${task.progress} % · `}
          {state !== 'NEW' && <Took task={task} />}
        </span>
      </li>
      <li data-is={state === 'ERROR' ? 'failed' : ended ? 'good' : 'ahead'}>
        <strong>{state === 'ERROR' ? 'Failed' : 'Done'}</strong>
        <span className={styles.soft}>{ended && <Time at={task.finished_on} />}</span>
      </li>
    </ol>
  );
}

/** How long a task has been on its way, or was. */
export function Took({ task }: { readonly task: Task }) {
  const now = useNow();
  if (!task.created_on) return '';
  const start = readTime(task.created_on).getTime();
  return duration((task.finished_on ? readTime(task.finished_on).getTime() : now) - start);
}
