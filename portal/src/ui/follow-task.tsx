import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { type ApiCall, client, faultOf, fieldFaults, queryClient, wordsOf } from '../api/client.ts';
import { pathIn, type Scope } from '../api/scope.ts';
import { hearTask, isEnded, type Task } from '../api/tasks.ts';
import { useRouting } from './routing.tsx';
import { pathOfTask } from './subject.tsx';

/** The task that an answer names, if it names one. */
export const taskOf = (data: unknown): string | undefined =>
  (data as { tasks?: readonly string[] } | null | undefined)?.tasks?.[0];

/** Where the first of what a task created is, once it is there: `to: toCreated(place, 'networks')`.
 *  @param kind as the task names it; its pages have the same name, with dashes */
export const toCreated =
  (scope: Scope, kind: keyof NonNullable<Task['created_resources']>, page = kind.replaceAll('_', '-')) =>
  ({ created_resources }: Task): string | undefined => {
    const [id] = created_resources?.[kind] ?? [];
    return id === undefined ? undefined : pathIn(scope, page, String(id));
  };

/** The page of what a task makes, which is there as soon as the task is; undefined where it has none. */
export async function pageOfTask(taskId: string): Promise<string | undefined> {
  const { data } = await client
    .GET('/cloud/v1/tasks/{task_id}', { params: { path: { task_id: taskId } } })
    .catch(() => ({ data: undefined }));
  return data && pathOfTask(data);
}

interface Follow {
  readonly title: string;
  /** Where the result is, once the task has ended well. */
  readonly to?: ((task: Task) => string | undefined) | undefined;
  readonly onEnd?: ((task: Task) => void) | undefined;
}

interface Start extends Follow {
  /** Sees the answer when the call was accepted. */
  readonly accepted?: ((data: unknown) => void) | undefined;
}

/** Waits until a task has ended. */
export function endOfTask(taskId: string): Promise<Task> {
  return new Promise((resolve) => {
    const hear = (task: Task) => {
      if (!isEnded(task)) return;
      stop?.();
      resolve(task);
    };
    let stop: (() => void) | undefined;
    stop = hearTask(taskId, hear);
    // The task may have ended before the stream reported it.
    void client
      .GET('/cloud/v1/tasks/{task_id}', { params: { path: { task_id: taskId } } })
      .then(({ data }) => data && hear(data));
  });
}

/** Shows a toast that goes along with a task to its end, then says what came of it and leads there. */
export function followTask(taskId: string, { title, to, onEnd }: Follow): void {
  show(taskId, title, 'Waiting for its turn', true);
  let ended = false;
  let stop: (() => void) | undefined;
  const hear = (task: Task) => {
    if (ended) return;
    if (!isEnded(task)) return show(taskId, title, `${task.step ?? 'Running'} · ${task.progress} %`, true);
    ended = true;
    stop?.();
    onEnd?.(task);
    if (task.state === 'ERROR')
      show(taskId, `${title}: failed`, task.error ?? 'The task gave no reason', false, 'red');
    else
      show(taskId, title, <Done to={to?.(task)} close={() => notifications.hide(taskId)} />, false, 'green');
  };
  // What is known of the task already is heard at once, maybe its end.
  stop = hearTask(taskId, hear);
  if (ended) stop();
  // The task may have ended before the stream reported it.
  void client
    .GET('/cloud/v1/tasks/{task_id}', { params: { path: { task_id: taskId } } })
    .then(({ data }) => data && hear(data));
}

function show(id: string, title: string, message: ReactNode, running: boolean, color = 'rain'): void {
  const data = {
    id,
    title,
    message,
    loading: running,
    color,
    autoClose: running ? (false as const) : color === 'red' ? (false as const) : 6_000,
    withCloseButton: true,
  };
  notifications.show(data);
  notifications.update(data);
}

function Done({ to, close }: { readonly to: string | undefined; readonly close: () => void }) {
  const { go } = useRouting();
  if (!to) return 'Done';
  return (
    <a
      className="link"
      href={to}
      onClick={(event) => {
        event.preventDefault();
        close();
        void go(to);
      }}
    >
      Done. Open it
    </a>
  );
}

/** Says in a toast why something that was pressed did not come about. */
export function refused(title: string, error: unknown): void {
  const fault = faultOf(error);
  notifications.show({
    color: 'red',
    title: `${title}: ${fault.failed ? 'failed' : 'refused'}`,
    message: [wordsOf(fault), ...fieldFaults(fault)].join('. '),
    autoClose: false,
  });
}

/** Makes a call that may answer tasks, and follows its task; a refusal is shown as a toast. */
export async function startTask(call: Pick<ApiCall, 'send'>, { accepted, ...follow }: Start): Promise<void> {
  const { data, error } = await call.send().catch((thrown: unknown) => ({ data: undefined, error: thrown }));
  if (error !== undefined) {
    refused(follow.title, error);
    // Maybe since it is not any more what the page shows.
    void queryClient.invalidateQueries();
    return;
  }
  const task = taskOf(data);
  if (task) followTask(task, follow);
  // It was done when it was answered, and no event reports it.
  else void queryClient.invalidateQueries();
  accepted?.(data);
}
