import { errorOf, type Task, VirgaError } from './errors.ts';
import { type Events, eventsIn } from './events.ts';
import type { Sleep } from './retries.ts';

/** How a task is waited for. */
export interface WaitOptions {
  /** For an operator: the task is of any client. Default: it is one of the caller's own. */
  readonly ofAny?: boolean;
  /** Ends the waiting; the task goes on. */
  readonly signal?: AbortSignal;
  /** Hears of the task as it is at first, and after each change. */
  readonly onChange?: (task: Task) => void;
  /** The server was there and is not any more; it is asked again. */
  readonly onReconnect?: (error: VirgaError) => void;
}

/** What waiting for a task needs of a client. */
export interface TaskCalls {
  /** @param wait seconds until the server answers at the latest; undefined: as it likes */
  readonly read: (id: string, wait?: number, signal?: AbortSignal) => Promise<Task>;
  readonly open: (task: Task, lastEventId: string | undefined, signal: AbortSignal) => Promise<Response>;
  readonly sleep: Sleep;
}

/** In a row, after which the server counts as gone: half a minute. */
const ATTEMPTS = 10;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** Seconds of one question, where there is no stream. */
const WAIT_S = 20;

const isEnded = ({ state }: Task): boolean => state === 'FINISHED' || state === 'ERROR';

/** The stream of events is not to be had here, so that the task has to be asked for. */
const NO_STREAM = Symbol('no stream');

/** Waits until a task has ended: by the stream of events, or by asking where there is none. A server that is away is
 *  asked again for half a minute.
 *  @returns the task, which is FINISHED
 *  @throws VirgaError with the code `task_failed` and the task, when it ended with ERROR */
export async function waitForTask(id: string, calls: TaskCalls, options: WaitOptions = {}): Promise<Task> {
  const { signal = new AbortController().signal } = options;
  const heard = new Heard(options.onChange);
  heard.note(await calls.read(id, undefined, signal));
  // The stream has the caller's own tasks alone.
  const state: Stream = { lastEventId: undefined, isUseful: !options.ofAny };
  for (let failures = 0; !heard.ended; ) {
    try {
      const hear = (task: Task) => {
        failures = 0;
        heard.note(task);
      };
      if (state.isUseful) await follow(heard.task, state, calls, hear, signal);
      else hear(await calls.read(id, WAIT_S, signal));
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof VirgaError) || !isPassing(error) || ++failures >= ATTEMPTS) throw error;
      options.onReconnect?.(error);
      await calls.sleep(Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS), signal);
    }
  }
  return outcomeOf(heard.task);
}

/** Nobody answered, or who did may soon do better. */
const isPassing = ({ status }: VirgaError): boolean => status === 0 || status === 429 || status >= 500;

class Heard {
  readonly #onChange: WaitOptions['onChange'];
  #task: Task | undefined;

  constructor(onChange: WaitOptions['onChange']) {
    this.#onChange = onChange;
  }

  get task(): Task {
    if (!this.#task) throw new Error('nothing was heard of the task yet');
    return this.#task;
  }

  get ended(): boolean {
    return this.#task !== undefined && isEnded(this.#task);
  }

  note(task: Task): void {
    if (JSON.stringify(task) === JSON.stringify(this.#task)) return;
    this.#task = task;
    this.#onChange?.(task);
  }
}

interface Stream {
  lastEventId: string | undefined;
  isUseful: boolean;
}

/** Reads one stream to its end, or to that of the task. */
async function follow(
  task: Task,
  state: Stream,
  { read, open }: TaskCalls,
  hear: (task: Task) => void,
  signal: AbortSignal,
): Promise<void> {
  const events = await opened(() => open(task, state.lastEventId, signal));
  if (events === NO_STREAM) {
    state.isUseful = false;
    return;
  }
  // Once memory was collected, fetch does not hear of an abort any more: it would hold the process for minutes.
  const close = () => void events.cancel().catch(() => undefined);
  signal.addEventListener('abort', close);
  try {
    // A stream does not say what was before it.
    let last = await read(task.id, 0, signal);
    hear(last);
    while (!isEnded(last)) {
      const event = await nextOf(events, signal);
      if (event.id !== undefined) state.lastEventId = event.id;
      if (event.event === 'reset') last = await read(task.id, 0, signal);
      else if (event.event === 'task') last = about(task, JSON.parse(event.data) as Task) ?? last;
      hear(last);
    }
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}

const about = ({ id }: Task, other: Task): Task | undefined => (other.id === id ? other : undefined);

async function opened(open: () => Promise<Response>): Promise<Events | typeof NO_STREAM> {
  const response = await open();
  const events = eventsIn(response);
  if (events) return events;
  const error = await errorOf(response);
  // One stream too many, or something between that knows no streams.
  if (response.status >= 500) throw error;
  return NO_STREAM;
}

async function nextOf(events: Events, signal: AbortSignal) {
  const { value, done } = await events.read().catch((error: unknown) => {
    signal.throwIfAborted();
    throw brokenOff(error);
  });
  signal.throwIfAborted();
  if (done) throw brokenOff(undefined);
  return value;
}

const brokenOff = (cause: unknown) =>
  new VirgaError({ status: 0, code: 'no_answer', message: 'The stream of tasks broke off', cause });

/** @throws VirgaError for a task that failed */
function outcomeOf(task: Task): Task {
  if (task.state === 'FINISHED') return task;
  throw new VirgaError({
    status: 0,
    code: 'task_failed',
    message: task.error ?? 'The task has failed, without a reason',
    requestId: task.request_id ?? undefined,
    task,
  });
}
