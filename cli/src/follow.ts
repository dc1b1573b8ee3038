import { type Task, type VirgaClient, VirgaError, type WaitOptions } from '../../client/src/index.ts';
import { Interrupted } from './failures.ts';
import { printable } from './output/cells.ts';
import type { Terminal } from './terminal.ts';

/** Waits for a task, with a live line of its step, percent and estimate. Ctrl-C leaves the task running.
 *  @throws VirgaError when it has failed, Interrupted */
export async function followTask(
  client: VirgaClient,
  id: string,
  terminal: Terminal,
  quiet = false,
): Promise<Task> {
  const ending = new AbortController();
  const stopListening = terminal.onInterrupt(() => ending.abort(new Interrupted()));
  const line = quiet ? undefined : terminal.progress('Waiting for its turn');
  const began = performance.now();
  try {
    const options: WaitOptions = {
      signal: ending.signal,
      onChange: (now) => line?.show(lineOf(now, performance.now() - began)),
      onReconnect: () => terminal.say('The server does not answer; waiting for it to come back'),
    };
    const task = await client.waitForTask(id, options).catch((error: unknown) => {
      // An operator has no tasks of its own.
      if (!(error instanceof VirgaError) || error.status !== 403) throw error;
      return client.waitForTask(id, { ...options, ofAny: true });
    });
    line?.end(`${titleOf(task)}: done`, true);
    return task;
  } catch (error) {
    line?.clear();
    if (error instanceof Interrupted)
      throw new Interrupted(`Task ${id} goes on. Follow it with: virga task watch ${id}`);
    throw error;
  } finally {
    stopListening();
  }
}

/** `Creating a load balancer web: Starting HAProxy · 40 % · 6 s left`. */
function lineOf(task: Task, elapsedMs: number): string {
  const { step, progress } = task;
  const left = progress > 0 && progress < 100 ? (elapsedMs * (100 - progress)) / progress : undefined;
  const parts = [
    ...(step ? [printable(step)] : []),
    `${progress} %`,
    ...(left === undefined || left < 1000 ? [] : [`${Math.round(left / 1000)} s left`]),
  ];
  return `${titleOf(task)}: ${parts.join(' · ')}`;
}

export function titleOf({ task_type, subject }: Task): string {
  const what = task_type.replaceAll('_', ' ');
  return printable(subject?.name ? `${what} ${subject.name}` : what);
}
