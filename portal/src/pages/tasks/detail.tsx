import { useQuery } from '@tanstack/react-query';
import { api, apiCall } from '../../api/client.ts';
import { isEnded } from '../../api/tasks.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { CodePanel } from '../../ui/code-panel.tsx';
import { CopyText } from '../../ui/copy.tsx';
import { Detail, useDetailScope } from '../../ui/detail.tsx';
import { SubjectOf, subjectName } from '../../ui/subject.tsx';
import { taskName } from '../../ui/task-name.ts';
import { acknowledge, type Task } from './acknowledge.ts';
import { Life, Took } from './life.tsx';
import { Locks } from './locks.tsx';
import { MadeBy } from './made.tsx';
import { RunOf, useCancel } from './run.tsx';

/** One task: how far it is, what it is about, what waits for it, and what came of it. */
export function TaskDetail() {
  const { id, back } = useDetailScope('tasks', 'Tasks');
  const query = useQuery(
    api.queryOptions('get', '/cloud/v1/tasks/{task_id}', { params: { path: { task_id: id } } }),
  );
  const cancel = useCancel();
  return (
    <Detail<Task>
      kind="Task"
      back={back}
      query={query}
      nameOf={(task) => [taskName(task), task.subject && subjectName(task.subject)].filter(Boolean).join(' ')}
      badge={({ state }) => <StatusBadge status={state} />}
      actions={[acknowledge]}
      verbs={[cancel]}
      facts={(task) => [
        { label: 'About', value: <SubjectOf task={task} /> },
        { label: isEnded(task) ? 'Took' : 'Running for', value: <Took task={task} /> },
        ...(task.error ? [{ label: 'Why it failed', value: task.error, wide: true }] : []),
        ...(task.request_id ? [{ label: 'Request', value: <CopyText value={task.request_id} /> }] : []),
      ]}
    >
      {(task) => (
        <>
          <Life task={task} />
          <RunOf task={task} />
          <MadeBy task={task} />
          <Locks task={task} />
          <CodePanel
            call={apiCall('get', '/cloud/v1/tasks/{task_id}', {
              params: { path: { task_id: task.id }, query: { wait: 60 } },
            })}
          />
        </>
      )}
    </Detail>
  );
}
