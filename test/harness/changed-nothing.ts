import { expect } from 'vitest';
import type { Reply, TestServer } from './server.ts';

/** Expects that a write changed nothing: its one task has ended already, whether a worker runs or not.
 *  @returns the task */
export async function changedNothing(server: TestServer, { status, body }: Reply) {
  expect({ status, body }).toEqual({ status: 200, body: { tasks: [expect.any(String)] } });
  const task = (await server.call('GET', `/cloud/v1/tasks/${body.tasks[0]}`)).body;
  expect(task).toMatchObject({ state: 'FINISHED', error: null });
  expect(task.finished_on).toBe(task.created_on);
  return task;
}
