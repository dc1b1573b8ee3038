import type { Task } from '../../api/tasks.ts';
import { TaskLine } from '../../app/task-drawer.tsx';
import { Card } from '../../ui/page.tsx';
import styles from './changing.module.css';

/** The task that is changing the cluster: its step, how far it is, how long it has been running. */
export function Changing({ task }: { readonly task: Task }) {
  return (
    <Card>
      <ul className={styles.task}>
        <TaskLine task={task} />
      </ul>
    </Card>
  );
}
