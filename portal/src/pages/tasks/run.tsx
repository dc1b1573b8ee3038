import { useQuery } from '@tanstack/react-query';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { isEnded } from '../../api/tasks.ts';
import { useDelete } from '../../ui/delete-action.tsx';
import { taskName } from '../../ui/task-name.ts';
import { Time } from '../../ui/time.tsx';
import type { Task } from './acknowledge.ts';

type Run = Schemas['RunOfTask'];

const PHASES: Readonly<Record<Run['phase'], string>> = {
  waiting: 'It waits for a worker',
  running: 'A worker is at it',
  pausing: 'It waits before its next look',
  lost: 'Its worker has died, and another one takes over',
  ended: 'It has ended',
};

/** How a task that has not ended is worked on, and until when. */
export function RunOf({ task }: { readonly task: Task }) {
  const ended = isEnded(task);
  const { data } = useQuery({
    ...api.queryOptions('get', '/virga/v1/tasks/{task_id}/run', { params: { path: { task_id: task.id } } }),
    enabled: !ended,
    refetchInterval: 2000,
  });
  if (ended || !data) return null;
  return (
    <p>
      {data.is_undone ? `It is being undone: ${data.failure}` : PHASES[data.phase]}. Heard of{' '}
      <Time at={data.since} />, undone unless it ends by <Time at={data.deadline_at} />.
      {data.retries > 0 && ` ${data.retries} attempts have failed in a row.`}
    </p>
  );
}

/** Cancels a task, which is asked first: what it has begun is undone. */
export const useCancel = () =>
  useDelete<Task>({
    kind: 'task',
    nameOf: taskName,
    instead: { verb: 'Cancel', label: 'Cancel…' },
    consequences: () => 'What it has begun is undone, and it ends as failed.',
    disabled: (task) => (isEnded(task) ? 'It has ended' : undefined),
    call: (task) =>
      apiCall('post', '/virga/v1/tasks/{task_id}/cancel', { params: { path: { task_id: task.id } } }),
  });
