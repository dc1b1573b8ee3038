import type { Task } from '../../api/tasks.ts';
import { TaskLine } from '../../app/task-drawer.tsx';
import { Card } from '../../ui/page.tsx';
import styles from './changing.module.css';

/** The task that is changing the cluster: its step, how far it is, how long it has been running.
 *  @param task undefined: it has not been read yet */
export function Changing({ task }: { readonly task: Task | undefined }) {
  return (
    <Card>
      <ul className={styles.task}>{task ? <TaskLine task={task} /> : <li className={styles.unread} />}</ul>
    </Card>
  );
}
