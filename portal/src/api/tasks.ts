import type { Query } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { client, LOOK_EVERY_MS, queryClient, refresh, type Schemas } from './client.ts';
import { whenBack } from './connection.ts';
import { csrfToken } from './session.ts';
import { readTasks, type TaskStream } from './task-stream.ts';
import type { FromTab, ToTab } from './task-worker.ts';
import { type Change, isChanged, isTouched } from './touched.ts';

export type Task = Schemas['Task'];

/** The tasks that this page has heard of, newest first; a bounded memory of the event stream. */
const KEPT = 200;
/** Several events of one moment refresh the page once. */
const GATHER_MS = 120;
const PATIENCE_MS = 2_000;
/** For so long nothing is heard of the worker that reads the stream: then the page looks for itself. */
const SILENCE_MS = 5_000;

let tasks: readonly Task[] = [];
const listeners = new Set<() => void>();
const waiting = new Map<string, Set<(task: Task) => void>>();

export const isEnded = (task: Task): boolean => task.state === 'FINISHED' || task.state === 'ERROR';

/** Follows the tasks of the account; the stream continues by itself after the server was away. */
export function followTasks(): () => void {
  const stream: TaskStream = {
    heard: note,
    changed: noteChange,
    lost,
    opened: () => {
      found();
      // What ended before the stream was open, it does not report.
      void readAwaited();
    },
  };
  const leave = 'SharedWorker' in globalThis ? readWithOthers(stream) : readTasks(stream);
  const stop = whenBack(() => void queryClient.invalidateQueries());
  return () => {
    stop();
    leave();
    clearInterval(looking);
  };
}

/** Looks for itself while there is no stream. */
let looking: ReturnType<typeof setInterval> | undefined;

function lost(): void {
  looking ??= setInterval(refresh, LOOK_EVERY_MS);
}

/** What changed while there was no stream, it does not report. */
function found(): void {
  if (looking === undefined) return;
  clearInterval(looking);
  looking = undefined;
  refresh();
}

/** Reads the stream together with the other tabs of the browser. */
function readWithOthers({ heard, changed, opened, lost }: TaskStream): () => void {
  const worker = new SharedWorker(new URL('./task-worker.ts', import.meta.url), { type: 'module' });
  const say = (message: FromTab) => worker.port.postMessage(message);
  // Its script may not load, as when the tab that began it is left at that moment: then nothing is ever said.
  const silent = setTimeout(lost, SILENCE_MS);
  worker.port.onmessage = ({ data }: MessageEvent<ToTab>) => {
    clearTimeout(silent);
    if ('task' in data) heard(data.task as Task);
    else if ('change' in data) changed(data.change);
    else if (data.open) opened();
    else lost();
  };
  const join = () => say({ join: csrfToken() ?? '' });
  const leave = () => say({ leave: true });
  join();
  // A page that is left may come back as it was, without being loaded.
  window.addEventListener('pagehide', leave);
  window.addEventListener('pageshow', join);
  return () => {
    window.removeEventListener('pagehide', leave);
    window.removeEventListener('pageshow', join);
    leave();
    clearTimeout(silent);
    worker.port.close();
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
  refreshSoon(task.id, (key) => isTouched(key, task));
}

type Touches = (key: Query['queryKey']) => boolean;

/** What was heard of since the last round, by the task or the change, and what each touches. */
const gathered = new Map<string, Touches>();
let refreshing = false;

/** Asks anew for what a task changes, one round after the other: a round that each event began anew would, where many
 *  tasks run, never come to its end. */
function refreshSoon(what: string, touches: Touches): void {
  gathered.set(what, touches);
  if (!refreshing) nextRound();
}

const noteChange = (change: Change): void =>
  refreshSoon(JSON.stringify(change), (key) => isChanged(key, change));

function nextRound(): void {
  refreshing = true;
  setTimeout(() => {
    const heard = [...gathered.values()];
    gathered.clear();
    const predicate = ({ queryKey }: Query) => heard.some((touches) => touches(queryKey));
    // An answer that does not come must not hold up the next round.
    const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
    void Promise.race([queryClient.invalidateQueries({ predicate }), patience]).finally(() => {
      refreshing = false;
      if (gathered.size > 0) nextRound();
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
