import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { isEnded, type Task } from '../../api/tasks.ts';
import { unreadNote } from '../../ui/fault.tsx';
import { Card, Empty } from '../../ui/page.tsx';
import { type Subject, scopeOf, subjectName, subjectPath, typeWords } from '../../ui/subject.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import styles from './life.module.css';

const COLUMNS: readonly Column<Subject>[] = [
  { label: 'Name', cell: (subject) => subjectName(subject) },
  { label: 'What it is', cell: (subject) => typeWords(subject) },
];

const SHOWN = 100;

/** What a task has locked, and so waits for it. */
export function Locks({ task }: { readonly task: Task }) {
  const scope = scopeOf(task);
  const query = useQuery({
    ...api.queryOptions('get', '/virga/v1/tasks/{task_id}/locks', {
      params: { path: { task_id: task.id }, query: { limit: SHOWN } },
    }),
    enabled: !isEnded(task),
  });
  const { count = 0, results = [] } = isEnded(task) ? {} : (query.data ?? {});
  const unread = unreadNote(query);
  const about = isEnded(task)
    ? 'The task has ended. Nothing waits for it.'
    : 'It has locked no resource. Nothing waits for it.';
  return (
    <Card title="What waits for it">
      {unread ? (
        unread
      ) : results.length === 0 && !(query.isPending && !isEnded(task)) ? (
        <Empty title="Nothing waits" about={about} />
      ) : (
        <>
          <p className={styles.waits}>
            These are locked. Until the task ends, the API answers other changes of them with 409 and the id
            of this task.{count > SHOWN && ` The first ${SHOWN} of ${count.toLocaleString()} are shown.`}
          </p>
          <Table
            title="What waits for it"
            rows={results}
            columns={COLUMNS}
            loading={query.isPending}
            rowKey={({ id }) => id}
            href={(subject) => scope && subjectPath(scope, subject)}
          />
        </>
      )}
    </Card>
  );
}
