import { done, type TaskHandler, type TaskRun } from '../../platform/tasks/handler.ts';
import { release } from '../quotas/index.ts';
import { activateSecret, deleteSecret } from './store.ts';

const DEADLINE_MS = 60_000;

/** The value came with the request, already encrypted; what is left is to say that it is there. */
export const createSecretTask: TaskHandler = {
  type: 'create_secret',
  deadlineMs: DEADLINE_MS,
  withoutFaults: true,
  run: async ({ task }) =>
    done({ secrets: [task.subject] }, (tx) => activateSecret(tx, task.subject, task.id)),
  undo: async (run) => forgetting(run),
};

export const deleteSecretTask: TaskHandler = {
  type: 'delete_secret',
  deadlineMs: DEADLINE_MS,
  withoutFaults: true,
  run: async (run) => forgetting(run),
  undo: async ({ task }) => done({}, (tx) => activateSecret(tx, task.subject, task.id)),
};

function forgetting({ task }: TaskRun) {
  return done({}, async (tx) => {
    if (await deleteSecret(tx, task.subject, task.id)) await release(tx, task, { secret_count: 1 });
  });
}
