import { notifications } from '@mantine/notifications';
import { client, queryClient, type Schemas } from '../../api/client.ts';
import { type Place, pathParams } from '../../app/place.ts';
import { refused } from '../../ui/follow-task.tsx';
import type { RowAction } from '../../ui/row-menu.tsx';

export type Task = Schemas['Task'];

async function acknowledgeTask(task: Task): Promise<void> {
  const { error } = await client.POST('/cloud/v1/tasks/{task_id}/acknowledge', {
    params: { path: { task_id: task.id } },
  });
  if (error !== undefined) refused('Acknowledge', error);
  await queryClient.invalidateQueries();
}

/** Says that a task that has ended was seen: one that failed needs no attention any more. */
export const acknowledge: RowAction<Task> = {
  label: 'Acknowledge',
  run: (task) => void acknowledgeTask(task),
  disabled: ({ state, acknowledged_at }) =>
    acknowledged_at
      ? 'It is acknowledged already'
      : state === 'FINISHED' || state === 'ERROR'
        ? undefined
        : 'It has not ended yet',
};

/** The same of all that have ended in a place. */
export async function acknowledgeAll(place: Place): Promise<void> {
  const { error } = await client.POST('/cloud/v1/tasks/acknowledge_all', {
    params: { query: pathParams(place) },
  });
  if (error === undefined) {
    notifications.show({
      color: 'green',
      message: 'Acknowledged. Failed tasks of before need no attention any more.',
    });
  } else refused('Acknowledge all', error);
  await queryClient.invalidateQueries();
}
