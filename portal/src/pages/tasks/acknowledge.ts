import { notifications } from '@mantine/notifications';
import { apiCall, type Schemas } from '../../api/client.ts';
import { pathParams, type Scope } from '../../api/scope.ts';
import { startTask } from '../../ui/follow-task.tsx';
import { rowCall } from '../../ui/row-call.ts';

export type Task = Schemas['Task'];

/** Says that a task that has ended was seen: one that failed needs no attention any more. */
export const acknowledge = rowCall<Task>({
  label: 'Acknowledge',
  title: () => 'Acknowledge',
  call: ({ id }) =>
    apiCall('post', '/cloud/v1/tasks/{task_id}/acknowledge', { params: { path: { task_id: id } } }),
  disabled: ({ state, acknowledged_at }) =>
    acknowledged_at
      ? 'It is acknowledged already'
      : state === 'FINISHED' || state === 'ERROR'
        ? undefined
        : 'It has not ended yet',
});

/** The call that does the same for all that have ended in a scope. */
export const allAcknowledged = (scope: Scope) =>
  apiCall('post', '/cloud/v1/tasks/acknowledge_all', { params: { query: pathParams(scope) } });

export const acknowledgeAll = (scope: Scope): Promise<void> =>
  startTask(allAcknowledged(scope), {
    title: 'Acknowledge all',
    accepted: () =>
      notifications.show({
        color: 'green',
        message: 'Acknowledged. Failed tasks of before need no attention any more.',
      }),
  });
