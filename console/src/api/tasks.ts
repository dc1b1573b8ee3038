import { useSyncExternalStore } from 'react';
import { client, queryClient, type Schemas } from './client.ts';
import { whenBack } from './connection.ts';

export type Task = Schemas['Task'];

/** The tasks that this page has heard of, newest first; a bounded memory of the event stream. */
const KEPT = 200;
/** Several events of one moment refresh the page once. */
const GATHER_MS = 120;
const PATIENCE_MS = 2_000;

let tasks: readonly Task[] = [];
const listeners = new Set<() => void>();
const waiting = new Map<string, Set<(task: Task) => void>>();
let source: EventSource | undefined;

export const isEnded = (task: Task): boolean => task.state === 'FINISHED' || task.state === 'ERROR';

/** Follows the tasks of the account; the browser resumes by itself after the server was away. */
export function followTasks(): () => void {
  source?.close();
  source = new EventSource('/cloud/v1/tasks/stream');
  source.addEventListener('task', (event) => note(JSON.parse(event.data) as Task));
  // What ended before the stream was open, it does not report.
  source.addEventListener('open', () => void readAwaited());
  const stop = whenBack(() => void queryClient.invalidateQueries());
  return () => {
    stop();
    source?.close();
    source = undefined;
  };
}

async function readAwaited(): Promise<void> {
  for (const task_id of [...waiting.keys()]) {
    const { data } = await client
      .GET('/cloud/v1/tasks/{task_id}', { params: { path: { task_id } } })
      .catch(() => ({ data: undefined }));
    if (data) note(data);
  }
}

function note(task: Task): void {
  const index = tasks.findIndex(({ id }) => id === task.id);
  tasks = index < 0 ? [task, ...tasks].slice(0, KEPT) : tasks.with(index, task);
  for (const listener of listeners) listener();
  for (const hear of waiting.get(task.id) ?? []) hear(task);
  refreshSoon();
}

let refreshing = false;
let again = false;

/** Asks anew for what the page shows, one round after the other: a round that each event began anew would, where
 *  many tasks run, never come to its end. */
function refreshSoon(): void {
  if (refreshing) {
    again = true;
    return;
  }
  refreshing = true;
  setTimeout(() => {
    again = false;
    // An answer that does not come must not hold up the next round.
    const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
    void Promise.race([queryClient.invalidateQueries(), patience]).finally(() => {
      refreshing = false;
      if (again) refreshSoon();
    });
  }, GATHER_MS);
}

/** What is known of a task already, and everything that is heard of it until it has ended. */
export function hearTask(id: string, hear: (task: Task) => void): () => void {
  const known = tasks.find((task) => task.id === id);
  const set = waiting.get(id) ?? new Set();
  waiting.set(id, set.add(hear));
  if (known) hear(known);
  return () => {
    set.delete(hear);
    if (set.size === 0) waiting.delete(id);
  };
}

export function useKnownTasks(): readonly Task[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => tasks,
  );
}
