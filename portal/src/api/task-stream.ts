import type { Schemas } from '../../../client/src/index.ts';
import type { Change } from './touched.ts';

/** The event stream of tasks, as it is read from the server. It knows nothing of the page: a worker shares it. */

export interface TaskStream {
  readonly opened: () => void;
  /** It broke off, and is opened again. */
  readonly lost: () => void;
  readonly heard: (task: Schemas['Task']) => void;
  readonly changed: (change: Change) => void;
}

/** A server that answered with an error is asked again after this; one that is away, by the browser itself. */
const AGAIN_MS = 5_000;

/** Reads the stream until the function that it returns is called. */
export function readTasks({ opened, lost, heard, changed }: TaskStream): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let source: EventSource;
  const open = () => {
    source = new EventSource('/cloud/v1/tasks/stream?changes=true');
    source.addEventListener('task', (event) => heard(JSON.parse(event.data)));
    source.addEventListener('change', (event) => changed(JSON.parse(event.data)));
    source.addEventListener('open', opened);
    source.addEventListener('error', () => {
      lost();
      if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, AGAIN_MS);
    });
  };
  open();
  return () => {
    clearTimeout(timer);
    source.close();
  };
}
